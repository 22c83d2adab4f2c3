// Statements of users for tests on the engine itself: what may run, and what must not.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace auscult::store {

// What a person may ask.
inline constexpr const char* reads[] = {
    "SELECT 1",
    "SELECT count() FROM pairs;",
    "-- a comment\nselect a from auscult.pairs where b > 2 order by a limit 3",
    "WITH big AS (SELECT a FROM pairs WHERE a > 5) SELECT sum(a) FROM big",
    "SELECT x.a FROM pairs AS x INNER JOIN pairs AS y ON x.a = y.a",
    "SELECT a FROM pairs WHERE a IN (SELECT a FROM pairs)",
    "SELECT a, count() OVER (PARTITION BY a % 2 ORDER BY b) FROM pairs",
    "SELECT * EXCEPT (b) FROM pairs",
    "SELECT * REPLACE (b + 1 AS b) FROM pairs",
    "SELECT COLUMNS('a|b') FROM pairs",
    "SELECT number FROM numbers(5)",
    "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 2",
    "EXPLAIN SELECT a FROM pairs",
    "EXPLAIN indexes = 1 SELECT a FROM pairs WHERE a = 1",
    "DESCRIBE pairs",
    "SELECT name FROM system.tables WHERE database = 'auscult'",
    "SELECT name, value, readonly FROM system.settings LIMIT 1",
    "SHOW DATABASES",
    "SHOW TABLES",
    "SHOW TABLES FROM `auscult`;",
    "SELECT hostName()",
    "SELECT 'file(''/etc/passwd'')' AS file, file",
    "SELECT arrayMap(x -> x + 1, [y, 2]) FROM pairs ARRAY JOIN [1] AS y",
    "SELECT corr(a, b), kolmogorovSmirnovTest('two-sided')(b, a > 4) FROM pairs",
    "SELECT a FROM (SELECT a FROM pairs) AS logs WHERE logs.a > 1",
    "SELECT quantile(0.9)(b) FROM pairs HAVING count() > 0 LIMIT 1 BY 1",
};

// What must not run. $SECRET is a file that exists, $OUT one that does not.
inline constexpr const char* attempts[] = {
    // It writes.
    "INSERT INTO pairs VALUES (1, 2)",
    "CREATE TABLE x (a Int8) ENGINE = Memory",
    "CREATE VIEW v AS SELECT 1",
    "CREATE FUNCTION f AS (x) -> x",
    "CREATE DICTIONARY d (a Int8) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' "
    "format 'CSV')) LAYOUT(FLAT()) LIFETIME(1)",
    "CREATE TABLE u (a String) ENGINE = URL('http://127.0.0.1:1/', 'CSV')",
    "ALTER TABLE pairs DELETE WHERE 1",
    "DELETE FROM pairs WHERE 1",
    "DROP TABLE pairs",
    "TRUNCATE TABLE pairs",
    "RENAME TABLE pairs TO other",
    "OPTIMIZE TABLE pairs FINAL",
    "ATTACH TABLE x",
    "DETACH TABLE pairs",
    "SYSTEM STOP MERGES",
    "KILL QUERY WHERE 1",
    "BACKUP TABLE pairs TO File('/tmp/x')",
    "SET readonly = 0",
    "USE system",
    "SELECT 1 INTO OUTFILE '$OUT'",
    "select * from pairs into outfile '$OUT' truncate format CSV",
    "DESCRIBE pairs INTO OUTFILE '$OUT'",
    "EXPLAIN SELECT 1 INTO OUTFILE '$OUT'",
    "SHOW TABLES INTO OUTFILE '$OUT'",
    "SHOW TABLES WHERE file('$SECRET') != ''",
    "SHOW TABLES LIKE 'x' INTO OUTFILE '$OUT' FORMAT JSON",
    "INSERT INTO FUNCTION file('$OUT', 'CSV', 'a Int8') SELECT 1",

    "INSERT INTO TABLE FUNCTION url('http://127.0.0.1:1/', 'CSV', 'a Int8') SELECT 1",
    // More than one statement.
    "SELECT 1; DROP TABLE pairs",
    "SELECT 1; SELECT 2",
    "SELECT 1 PARALLEL WITH DROP TABLE pairs",
    "EXPLAIN AST SELECT 1; DROP TABLE pairs",
    // Files.
    "SELECT * FROM file('$SECRET')",
    "SELECT * FROM FILE('$SECRET', 'CSV', 'a String, b Int8')",
    "SELECT * FROM `file`('$SECRET', 'CSV', 'a String, b Int8')",
    "SELECT * FROM \"file\"('$SECRET', 'CSV', 'a String, b Int8')",
    "SELECT * FROM /* hidden */ file /* hidden */ ('$SECRET')",
    "SELECT * FROM -- hidden\n file('$SECRET')",
    "SELECT file('$SECRET')",
    "SELECT FILE('$SECRET')",
    "SELECT `file`('$SECRET')",
    "SELECT arrayMap(x -> file(x), ['$SECRET'])",
    "SELECT * APPLY(file) FROM (SELECT '$SECRET' AS x)",
    "SELECT * APPLY(x -> file(x)) FROM (SELECT '$SECRET' AS x)",
    "SELECT COLUMNS('x') APPLY(file) FROM (SELECT '$SECRET' AS x)",
    "SELECT * REPLACE (file(x) AS x) FROM (SELECT '$SECRET' AS x)",
    "SELECT 1 ORDER BY file('$SECRET')",
    "SELECT 1 WHERE file('$SECRET') != ''",
    "SELECT 1 GROUP BY 1 HAVING file('$SECRET') != ''",
    "SELECT count() OVER (PARTITION BY file('$SECRET'))",
    "SELECT number FROM numbers(2) ORDER BY number WITH FILL TO length(file('$SECRET'))",
    "SELECT 1 AS x QUALIFY file('$SECRET') = ''",
    "SELECT a FROM pairs LIMIT length(file('$SECRET'))",
    "SELECT * FROM '$SECRET'",
    "SELECT * FROM `$SECRET`",
    "SELECT * FROM default.`$SECRET`",
    "SELECT * FROM \"default\".\"$SECRET\"",
    "SELECT 1 IN default.`$SECRET`",
    "SELECT 1 GLOBAL NOT IN default.`$SECRET`",
    "SELECT * FROM (SELECT * FROM (SELECT * FROM file('$SECRET')))",
    "SELECT (SELECT max(c1) FROM file('$SECRET'))",
    "WITH s AS (SELECT * FROM file('$SECRET')) SELECT * FROM s",
    "WITH (SELECT max(c1) FROM file('$SECRET')) AS s SELECT s",
    "WITH RECURSIVE s AS (SELECT * FROM file('$SECRET')) SELECT * FROM s",
    "SELECT * FROM pairs JOIN file('$SECRET') AS f ON 1 = 1",
    "SELECT * FROM pairs, file('$SECRET') AS f",
    "SELECT 1 UNION ALL SELECT length(c1) FROM file('$SECRET')",
    "SELECT 1 EXCEPT SELECT length(c1) FROM file('$SECRET')",
    "SELECT 1 WHERE 1 IN (SELECT 1 FROM file('$SECRET'))",
    "SELECT EXISTS(SELECT 1 FROM file('$SECRET'))",
    "SELECT * FROM view(SELECT * FROM file('$SECRET'))",
    "SELECT * FROM viewIfPermitted(SELECT 1 AS a ELSE file('$SECRET'))",
    "SELECT * FROM (EXPLAIN SELECT * FROM file('$SECRET'))",
    "EXPLAIN SELECT * FROM file('$SECRET')",
    "DESCRIBE file('$SECRET')",
    "DESCRIBE TABLE file('$SECRET')",
    "FROM file('$SECRET') SELECT *",
    "SELECT * FROM loop(file('$SECRET')) LIMIT 1",
    "SELECT * FROM filesystem('/etc')",
    "SELECT * FROM fileCluster('default', '$SECRET')",
    "SELECT * FROM sqlite('$SECRET', 't')",
    // Other servers, programs, dictionaries.
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a Int8')",
    "SELECT * FROM s3('http://127.0.0.1:1/b/k')",
    "SELECT * FROM gcs('http://127.0.0.1:1/b/k')",
    "SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'CSV')",
    "SELECT * FROM azureBlobStorage('x', 'y', 'z')",
    "SELECT * FROM deltaLake('http://127.0.0.1:1/')",
    "SELECT * FROM icebergLocal('/etc')",
    "SELECT * FROM remote('127.0.0.1', system.one)",
    "SELECT * FROM remoteSecure('127.0.0.1', system, one)",
    "SELECT * FROM cluster('default', system.one)",
    "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "SELECT * FROM mongodb('127.0.0.1:1', 'd', 't', 'u', 'p', 'a Int8')",
    "SELECT * FROM redis('127.0.0.1:1', 'k', 'k String')",
    "SELECT * FROM jdbc('x', 'y')",
    "SELECT * FROM odbc('x', 'y')",
    "SELECT * FROM executable('id', 'TSV', 'a String')",
    "SELECT * FROM input('a Int8')",
    "SELECT * FROM format(CSV, '1')",
    "SELECT * FROM merge('system', 'users')",
    "SELECT * FROM dictionary('d')",
    "SELECT * FROM eval('SELECT 1')",
    "SELECT dictGet('d', 'a', 1)",
    "SELECT DICTGETORDEFAULT('d', 'a', 1, 0)",
    "SELECT dictHas('d', 1)",
    "SELECT joinGet('j', 'a', 1)",
    "SELECT hasColumnInTable('127.0.0.1', 'system', 'one', 'dummy')",
    "SELECT reverseDNSQuery('127.0.0.1')",
    "SELECT aiGenerate('x')",
    "SELECT getMacro('x')",
    "SELECT getServerSetting('max_server_memory_usage')",
    "SELECT showCertificate()",
    "SELECT catboostEvaluate('/etc/passwd', 1)",
    "SELECT addressToLine(1)",
    "SELECT sleep(3)",
    "SELECT sleepEachRow(3) FROM numbers(10)",
    "SELECT logTrace('x')",
    // What others do, and where.
    "SELECT * FROM system.processes",
    "SELECT * FROM system.users",
    "SELECT * FROM system.`users`",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM INFORMATION_SCHEMA.TABLES",
    "SELECT 'x' IN system.users",
    "SELECT 'x' IN (system.users)",
    "SHOW PROCESSLIST",
    "SHOW GRANTS",
    "SHOW CREATE TABLE pairs",
    // The limits are not the user's to lift.
    "SELECT 1 SETTINGS max_memory_usage = 0",
    "SELECT * FROM (SELECT 1 SETTINGS readonly = 0)",
    // Names that forge lines of the tree.
    "SELECT `x\n    Literal UInt64_1`",
    "SELECT 1 AS `x\\n   Function file`",
    "EXPLAIN TABLE OVERRIDE mysql('', '', '', '', '') COLUMNS (a Int8)",
    "optimize = 0, file('/etc/passwd')",
    "file('/etc/passwd')",
    "AST SELECT 1",
    "",
    ";",
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The attempts, with a secret file that lies in `folder` and one to write, out.csv.
inline std::vector<std::string> attempts_in(const std::filesystem::path& folder) {
  const std::string secret = (folder / "secret.csv").string();
  std::ofstream(secret) << "secret,1\n";
  std::vector<std::string> statements;
  for (const char* attempt : attempts) {
    statements.push_back(
        replaced(replaced(attempt, "$SECRET", secret), "$OUT", (folder / "out.csv").string()));
  }
  return statements;
}

}  // namespace auscult::store
