// Reads from /clickhouse with ClickHouse's own client and prints one JSON line for each thing tried:
// {"name", "value"} or {"name", "error": {"code", "type", "message"}}.
//
//   node read.mjs --url http://127.0.0.1:9494
import { parseArgs } from "node:util";
import { createClient } from "@clickhouse/client";

const { values: options } = parseArgs({ options: { url: { type: "string" } } });
if (!options.url) {
  console.error("read.mjs: give --url URL");
  process.exit(2);
}

const common = { url: options.url, pathname: "/clickhouse", username: "grafana", password: "secret" };
const client = createClient(common);
const packed = createClient({ ...common, compression: { response: true } });

async function rows(query, more = {}, from = client) {
  const answer = await from.query({ query, format: "JSONEachRow", ...more });
  return answer.json();
}

const TRIES = {
  ping: async () => (await client.ping()).success,
  version: async () => (await rows("SELECT version() AS version"))[0].version,
  parameters: async () =>
    rows("SELECT {n:UInt32} AS n, {s:String} AS s, {l:Array(String)} AS l, {z:Nullable(String)} AS z",
      { query_params: { n: 42, s: "it's a\ttab\\", l: ["a", "it's"], z: null } }),
  json: async () => (await (await client.query({ query: "SELECT 1 AS x" })).json()).data,
  query_id: async () =>
    (await client.query({ query: "SELECT 1", query_id: "mine-1" })).query_id,
  settings: async () =>
    rows("SELECT toUInt64(7) AS x",
      { clickhouse_settings: { output_format_json_quote_64bit_integers: 1 } }),
  metrics: async () => rows("SELECT metric, node_id FROM series WHERE metric = 'clickhouse_client'"),
  compressed: async () => rows("SELECT number FROM numbers(3)", {}, packed),
  stream: async () => {
    const answer = await packed.query({
      query: "SELECT number, toString(number) AS s FROM numbers(100000)", format: "JSONEachRow",
    });
    let n = 0;
    let sum = 0;
    for await (const chunk of answer.stream()) {
      for (const row of chunk) {
        n += 1;
        sum += Number(row.json().number);
      }
    }
    return { n, sum };
  },
  summary: async () => {
    const done = await client.command({ query: "SELECT * FROM numbers(5) FORMAT Null" });
    return done.summary.read_rows;
  },
  syntax: () => rows("SELEC 1"),
  unknown_table: () => rows("SELECT * FROM nowhere"),
  file: () => rows("SELECT * FROM file('/etc/passwd', 'LineAsString')"),
  url: () => rows("SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a Int8')"),
  unknown_setting: () => rows("SELECT 1", { clickhouse_settings: { no_such_setting: 1 } }),
  readonly_setting: () => rows("SELECT 1", { clickhouse_settings: { readonly: "0" } }),
  time: () =>
    rows("SELECT count() FROM numbers(100000000000) WHERE NOT ignore(sipHash64(number))",
      { clickhouse_settings: { max_execution_time: 1 } }),
  ddl: () => client.command({ query: "DROP TABLE samples" }),
  insert: () => client.insert({ table: "samples", values: [{ id: 1 }], format: "JSONEachRow" }),
};

for (const [name, attempt] of Object.entries(TRIES)) {
  try {
    console.log(JSON.stringify({ name, value: await attempt() }));
  } catch ({ code, type, message }) {
    console.log(JSON.stringify({ name, error: { code, type, message } }));
  }
}
await client.close();
await packed.close();
