# shellcheck shell=bash
# Sourced by the scripts in bin/. The default java of a machine is often older than what Porcupine needs.

# The major version of the JDK or JRE at $1; prints nothing where there is none.
jdk_major_at() {
  [[ -x "$1/bin/java" ]] || return 0
  local version=''
  if [[ -r "$1/release" ]]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  fi
  if [[ -z "$version" ]]; then
    version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
  fi
  printf '%s' "$version"
}

# Prints the home of a Java of version 25 or newer: JAVA_HOME, the java on the PATH, or one in a usual place. Fails with
# a message that says what to do.
find_jdk25() {
  local candidate major on_path=''
  if command -v java >/dev/null; then
    on_path=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  fi
  for candidate in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/*25* /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* \
      /opt/java/openjdk /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    [[ -n "$candidate" ]] || continue
    major=$(jdk_major_at "$candidate")
    if [[ -n "$major" && "$major" -ge 25 ]]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  echo "Porcupine needs Java 25 or newer. JAVA_HOME (${JAVA_HOME:-not set}), the java on the PATH and /usr/lib/jvm have none." >&2
  echo "Install one, for example Eclipse Temurin 25, or set JAVA_HOME to it." >&2
  return 1
}
