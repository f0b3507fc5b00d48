create database if not exists ${database}
