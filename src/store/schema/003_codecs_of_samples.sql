-- Neighbours in a part are series of one node, whose times are the same: what their differences have
-- in common is found by a general compressor over blocks of many series, and not by codecs that pack
-- bits. 1.3 bytes a sample of a node_exporter instead of 1.7. Parts that are there change as they
-- are merged.

ALTER TABLE auscult.samples
    MODIFY COLUMN timestamp DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN value Float64 CODEC(ZSTD(1)),
    MODIFY COLUMN stored_at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1));

ALTER TABLE auscult.samples
    MODIFY SETTING min_compress_block_size = 262144, max_compress_block_size = 262144;
