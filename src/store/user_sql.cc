#include "store/user_sql.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/text.h"

namespace auscult::store {
namespace {

struct Node {
  size_t depth = 0;  // spaces before it
  std::string_view kind;
  std::string_view name;  // the word after the kind: of a function, table, identifier
  size_t n_children = 0;
  size_t parent = 0;
};

// A statement of one of these kinds only reads.
constexpr std::string_view statements[] = {"SelectWithUnionQuery", "Explain", "DescribeQuery"};

// Not here, among others: Set (limits are the server's to set), ColumnsApplyTransformer (the tree
// does not show which function it applies), everything that writes.
constexpr std::string_view node_kinds[] = {
    "ArrayJoin",
    "Asterisk",
    "ColumnsExceptTransformer",
    "ColumnsListMatcher",
    "ColumnsRegexpMatcher",
    "ColumnsReplaceTransformer",
    "ColumnsReplaceTransformer::Replacement",
    "ColumnsTransformerList",
    "DescribeQuery",
    "Explain",
    "ExpressionList",
    "Function",
    "Identifier",
    "InterpolateElement",
    "Literal",
    "OrderByElement",
    "QualifiedAsterisk",
    "QualifiedColumnsListMatcher",
    "QualifiedColumnsRegexpMatcher",
    "SampleRatio",
    "SelectIntersectExceptQuery",
    "SelectQuery",
    "SelectWithUnionQuery",
    "Subquery",
    "TableExpression",
    "TableIdentifier",
    "TableJoin",
    "TablesInSelectQuery",
    "TablesInSelectQueryElement",
    "WindowDefinition",
    "WindowListElement",
    "WithElement",
};

// Lower case. They make rows from their arguments, or wrap a subquery that is judged by itself.
constexpr std::string_view table_functions[] = {
    "generate_series",   "generateseries", "null", "numbers", "numbers_mt", "primes",
    "sqlstandardvalues", "values",         "view", "zeros",   "zeros_mt",
};

// Describe the store and the engine; none shows what other people ask, or files. `settings` are the
// statement's own: a client of ClickHouse reads them to learn which it may send.
constexpr std::string_view system_tables[] = {
    "columns", "data_type_families", "databases", "formats",  "functions",
    "numbers", "numbers_mt",         "one",       "parts",    "settings",
    "tables",  "time_zones",         "zeros",     "zeros_mt",
};

// Databases of the engine that are not ours; `default` of this build is the file system.
constexpr std::string_view foreign_databases[] = {"default", "information_schema", "system",
                                                  "_temporary_and_external_tables"};

// Lower case. They read files, other servers, dictionaries or the configuration, look into the
// process, write to its log, or only waste time.
constexpr std::string_view denied_functions[] = {
    "addresstoline",
    "addresstolinewithinlines",
    "addresstosymbol",
    "catboostevaluate",
    "demangle",
    "file",
    "getmacro",
    "generateserialid",
    "getserverport",
    "getserversetting",
    "getclienthttpheader",
    "hascolumnintable",
    "lemmatize",
    "logtrace",
    "reversednsquery",
    "showcertificate",
    "sleep",
    "sleepeachrow",
    "stem",
    "synonyms",
    "tcpport",
    "trap",
    "zookeepersessionuptime",
    "evalmlmethod",
    "serveruuid",
    "obfuscatequery",
    "structuretocapnprotoschema",
    "structuretoprotobufschema",
    "transactionid",
    "transactionlatestsnapshot",
    "transactionoldestsnapshot",
};
constexpr std::string_view denied_prefixes[] = {
    "__",       // internal
    "ai",       // send text to a language model's provider
    "dict",     // dictionaries may have any source
    "joinget",  // tables of engine Join
    "naivebayes", "region", "filesystem",
};

template <typename List>
bool is_one_of(std::string_view word, const List& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

// `name` and "name" without what stands around them.
std::string_view unquoted(std::string_view name) {
  const bool quoted = name.size() > 2 && (name.front() == '`' || name.front() == '"') &&
                      name.front() == name.back();
  return quoted ? name.substr(1, name.size() - 2) : name;
}

Error refused(const std::string& what) { return {ErrorCode::invalid_input, "refused: " + what}; }

// "Function max (alias a) (children 2)" -> kind, name, 2 children.
Result<Node> parse_line(std::string_view line) {
  Node node;
  node.depth = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(node.depth);
  constexpr std::string_view marker = " (children ";
  if (const auto at = line.rfind(marker); at != std::string_view::npos && line.back() == ')') {
    const auto digits = line.substr(at + marker.size());
    const auto count = to_uint(digits.substr(0, digits.size() - 1));
    if (!count) return refused("a name with an unusual character");
    node.n_children = *count;
    line = line.substr(0, at);
  }
  const auto space = line.find(' ');
  node.kind = line.substr(0, space);
  if (space != std::string_view::npos) node.name = trim(line.substr(space));
  if (const auto alias = node.name.find(" (alias "); alias != std::string_view::npos) {
    node.name = node.name.substr(0, alias);
  }
  return node;
}

// The nodes with their parents. A name with a line end in it would add lines of its own: then the
// numbers of children do not come out, and the statement is refused.
Result<std::vector<Node>> parse_tree(std::string_view tree) {
  std::vector<Node> nodes;
  std::vector<size_t> path;   // from the root to the latest node
  std::vector<size_t> found;  // children seen, by node
  for (const std::string_view line : split(tree, '\n')) {
    if (trim(line).empty()) continue;
    Node node = TRY(parse_line(line));
    if (node.depth > path.size() || (node.depth == 0 && !nodes.empty())) {
      return refused("a name with a line end, or more than one statement");
    }
    path.resize(node.depth);
    if (!path.empty()) {
      node.parent = path.back();
      ++found[node.parent];
    }
    path.push_back(nodes.size());
    nodes.push_back(node);
    found.push_back(0);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].n_children != found[i]) return refused("a name with a line end");
  }
  if (nodes.empty()) return refused("an empty statement");
  return nodes;
}

Result<Ok> check_function(std::string_view name) {
  const std::string word = lower(name);
  const bool denied =
      is_one_of(word, denied_functions) ||
      std::any_of(std::begin(denied_prefixes), std::end(denied_prefixes),
                  [&](std::string_view prefix) { return word.starts_with(prefix); });
  if (!denied) return Ok{};
  return refused("function " + std::string(name) + " reaches outside the store");
}

Result<Ok> check_table(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return Ok{};  // in database auscult, or named by WITH
  const std::string_view database = name.substr(0, dot);
  const std::string_view table = name.substr(dot + 1);
  if (database == "auscult" && table.find('.') == std::string_view::npos) return Ok{};
  if (database == "system" && is_one_of(table, system_tables)) return Ok{};
  return refused("table " + std::string(name) +
                 ": only the tables of database auscult and a few of system can be read");
}

// A column may be called anything; but after IN an identifier can be a table of another database.
Result<Ok> check_identifier(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  if (first == name || !is_one_of(lower(first), foreign_databases)) return Ok{};
  return check_table(name);
}

Result<Ok> check_node(const std::vector<Node>& nodes, size_t index) {
  const Node& node = nodes[index];
  const Node& parent = nodes[node.parent];
  if (node.kind == "Set") {
    // `EXPLAIN indexes = 1 SELECT` is a way to print, not a limit.
    if (parent.kind == "Explain" && node.parent == 0 && index != 0) return Ok{};
    return refused("SETTINGS: the limits are the server's to set");
  }
  if (!is_one_of(node.kind, node_kinds)) return refused(std::string(node.kind));
  if (index != 0 && is_one_of(node.kind, statements) && node.kind != "SelectWithUnionQuery") {
    return refused(std::string(node.kind) + " inside a statement");
  }
  if (node.kind == "SelectWithUnionQuery" || node.kind == "Explain") return Ok{};
  // Whatever the statement, a text that stands directly below it names a file.
  const bool of_statement = index != 0 && node.parent == 0;
  if (of_statement && node.kind == "Literal") return refused("INTO OUTFILE writes a file");
  if (of_statement && node.kind == "Identifier") return Ok{};  // FORMAT
  if (parent.kind == "SelectWithUnionQuery" && index != 0 && node.kind != "ExpressionList") {
    return refused(std::string(node.kind) + " after a SELECT");
  }
  if (node.kind == "Function") {
    if (parent.kind != "TableExpression") return check_function(node.name);
    if (is_one_of(lower(node.name), table_functions)) return Ok{};
    return refused("table function " + std::string(node.name) + " reaches outside the store");
  }
  if (node.kind == "TableIdentifier") return check_table(node.name);
  return node.kind == "Identifier" ? check_identifier(node.name) : Ok{};
}

}  // namespace

Result<std::string> check_user_ast(std::string_view tree) {
  const std::vector<Node> nodes = TRY(parse_tree(tree));
  if (!is_one_of(nodes[0].kind, statements)) {
    return refused(std::string(nodes[0].kind) + ": only SELECT, EXPLAIN and DESCRIBE are allowed");
  }
  if (nodes[0].kind == "Explain" &&
      nodes[0].name.find("TABLE OVERRIDE") != std::string_view::npos) {
    return refused("EXPLAIN TABLE OVERRIDE");
  }
  std::string format;
  for (size_t i = 0; i < nodes.size(); ++i) {
    TRY(check_node(nodes, i));
    if (i != 0 && nodes[i].parent == 0 && nodes[i].kind == "Identifier") format = nodes[i].name;
  }
  return format;
}

std::optional<std::string> show_as_select(std::string_view sql) {
  while (!sql.empty() && (trim(sql) != sql || sql.back() == ';')) {
    sql = trim(sql);
    if (sql.ends_with(';')) sql.remove_suffix(1);
  }
  std::vector<std::string_view> rest = words(sql);
  std::string format;
  if (rest.size() >= 4 && lower(rest[rest.size() - 2]) == "format") {
    if (!is_plain_name(rest.back())) return {};
    format = " FORMAT " + std::string(rest.back());
    rest.resize(rest.size() - 2);
  }
  if (rest.size() < 2 || lower(rest[0]) != "show") return {};
  const std::string what = lower(rest[1]);
  if (what == "databases" && rest.size() == 2) {
    return "SELECT name FROM system.databases ORDER BY name" + format;
  }
  std::string_view database = "auscult";
  if (rest.size() == 4 && (lower(rest[2]) == "from" || lower(rest[2]) == "in")) {
    database = unquoted(rest[3]);
  } else if (rest.size() != 2) {
    return {};
  }
  if (what != "tables" || !is_plain_name(database)) return {};
  return "SELECT name FROM system.tables WHERE database = '" + std::string(database) +
         "' ORDER BY name" + format;
}

}  // namespace auscult::store
