package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What SDKs ask for at their start besides capturing: flags, surveys, remote configuration. Porcupine has none of these, and says so
 * in the form that makes an SDK go on without them instead of asking again. Answered from memory, whatever state the stores are in.
 */
final class FeatureEndpoint implements PublicEndpoint {

    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");

    /** These requests carry a token and a few properties of a person. */
    private static final int BODY_BYTES_MAX = 1 << 20;

    private static final String COMPRESSION = "\"supportedCompression\":[\"gzip\",\"gzip-js\"]";

    static final String CONFIG = "{" + COMPRESSION + ",\"hasFeatureFlags\":false,\"featureFlags\":[],"
            + "\"sessionRecording\":false,\"surveys\":false,\"heatmaps\":false,\"capturePerformance\":false,"
            + "\"autocaptureExceptions\":false,\"siteApps\":[],\"siteAppsJS\":[]}";
    static final String FLAGS = "{\"flags\":{},\"featureFlags\":{},\"featureFlagPayloads\":{},"
            + "\"errorsWhileComputingFlags\":false,\"sessionRecording\":false," + COMPRESSION + "}";
    static final String SURVEYS = "{\"surveys\":[]}";
    static final String WEB_EXPERIMENTS = "{\"experiments\":[]}";
    static final String PRODUCT_TOURS = "{\"product_tours\":[]}";
    static final String EARLY_ACCESS_FEATURES = "{\"earlyAccessFeatures\":[]}";

    private static final String CONFIG_PREFIX = "/array/";
    private static final String CONFIG_SUFFIX = "/config";

    private final TokenLookup tokens;
    private final CaptureLimits limits;
    private final String answer;

    FeatureEndpoint(TokenLookup tokens, CaptureLimits limits, String answer) {
        this.tokens = tokens;
        this.limits = limits;
        this.answer = answer;
    }

    @Override
    public Set<String> methods() {
        return METHODS;
    }

    @Override
    public int bodyBytesMax() {
        return BODY_BYTES_MAX;
    }

    @Override
    public HttpAnswer answer(PublicRequest request, BodyBudget.Charge charge) {
        String token = TokenRule.checked(TokenRule.trimmed(token(request, charge)));
        if (tokens.project(token).isEmpty()) {
            throw new ProblemException(Problem.TOKEN_INVALID, "no project has this token, or the token was revoked");
        }
        return HttpAnswer.json(answer);
    }

    private String token(PublicRequest request, BodyBudget.Charge charge) {
        if (request.path().startsWith(CONFIG_PREFIX)) {
            return configToken(request.path())
                    .orElseThrow(() -> new ProblemException(
                            Problem.NOT_FOUND, "only the configuration as JSON is at this address"));
        }
        String named = queryToken(request.query());
        if (named != null) {
            return named;
        }
        Slice body = request.takeBody();
        CaptureQuery query = CaptureQuery.parse(request.query());
        if (body.isEmpty() && query.data() == null) {
            throw new ProblemException(Problem.TOKEN_MISSING, "send the project token as \"token\" or \"api_key\"");
        }
        LayerBudget budget = new LayerBudget(BODY_BYTES_MAX * 5, charge);
        Slice text = BodyDecoder.decode(body, query, request.contentType(), request.contentEncoding(), budget);
        JsonScanner json = new JsonScanner(text, limits.nestingMax());
        if (json.peek() != JsonScanner.OBJECT) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "the body is not a JSON object");
        }
        EventFields fields = new EventFields();
        fields.read(json);
        json.finish();
        TokenRule rule = new TokenRule();
        rule.see(text.bytes(), fields);
        return rule.required();
    }

    /** The token of {@code /array/<token>/config}, with or without a slash at its end. */
    private static Optional<String> configToken(String path) {
        String rest = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        int end = rest.length() - CONFIG_SUFFIX.length();
        boolean config = rest.endsWith(CONFIG_SUFFIX) && end > CONFIG_PREFIX.length();
        String token = config ? rest.substring(CONFIG_PREFIX.length(), end) : "";
        return token.isEmpty() || token.indexOf('/') >= 0 ? Optional.empty() : Optional.of(token);
    }

    private static @Nullable String queryToken(@Nullable String query) {
        if (query == null) {
            return null;
        }
        Slice text = Slice.of(query.getBytes(StandardCharsets.ISO_8859_1));
        String token = FormFields.text(text, "token");
        return token != null ? token : FormFields.text(text, "api_key");
    }
}
