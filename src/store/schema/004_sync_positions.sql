-- How far the fetching from another database has come: committed in one group with the samples that
-- it speaks of, so that a fetch that ended anywhere goes on where it was. The newest row of a source
-- counts. It outlives the samples: a source that comes back later has nothing left to repeat.

CREATE TABLE IF NOT EXISTS auscult.sync_positions
(
    source LowCardinality(String),
    position String COMMENT 'JSON',
    stored_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (source, stored_at)
TTL toDateTime(stored_at) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 10000;
