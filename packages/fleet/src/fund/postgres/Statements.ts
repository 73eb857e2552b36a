/**
 * The statements of the buckets: `Gcra` in SQL. Tested with Postgres 15 and 18.
 *
 * Each is one transaction and reads the server's clock when it decides: `clock_timestamp()`, because `now()` is the
 * start of the transaction, and a statement may wait for the row. The contents of a row are clamped before use, so that
 * no value can lead to an error or to more than a full bucket.
 *
 * From the time `until` on, a row means the same as no row. For a bucket `until` is the arrival time, and `amount` is
 * what the last statement took, in microseconds; for a circuit `circuit` is its text.
 */

/** The name of the table. */
export const tableName = "effect_retry"

/**
 * Makes the table. Half of every page stays free, so that a new version of a row fits on the same page and no index
 * changes. The table is unlogged: after a crash it is empty, and every bucket is full.
 * Source: https://www.postgresql.org/docs/18/storage-hot.html and
 * https://www.postgresql.org/docs/18/sql-createtable.html ("UNLOGGED"), read 2026-11-22.
 */
export const table = `create unlogged table if not exists ${tableName} (
  key text collate "C" primary key,
  until bigint not null,
  amount bigint not null default 0,
  circuit text
) with (fillfactor = 50)`

const now = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"

/** The latest arrival time of a bucket: the largest integer that doubles hold exactly. */
const latest = "9007199254740991"

/** The time until a bucket is full, from a stored arrival time; null means none. */
const owed = (until: string, at: string): string => `greatest(least(greatest(${until}, 0), ${latest}) - ${at}, 0)`

const [key, window, want, least] = ["$1::text", "$2::bigint", "$3::bigint", "$4::bigint"]

/** What a request considers a bucket to owe: an arrival time that is too late counts as that of an empty bucket. */
const taken = `case when owed > 2 * ${window} and ${least} <= ${window} then ${window} - ${least} else least(owed, ${window}) end`

/** Whether the minimum is available. */
const grants = `${taken} + ${least} <= ${window}`

/** The new arrival time and amount, from the newest version of the row, which is locked. */
const after = `select now + owed + granted, granted from (
      select now, owed, least(${want}, ${window} - owed) as granted
      from (
        select now, ${taken} as owed
        from (select now, ${owed("bucket.until", "now")} as owed from (select ${now} as now) clock) stored
      ) found
    ) decided`

/**
 * Takes tokens: takes key, window, want and least, and returns what was granted and what the bucket then owes, in
 * microseconds.
 *
 * A refusal writes nothing. The row that the statement sees at its start decides whether there is anything to take; if
 * not, nothing is locked either. Otherwise the newest version of the row, then locked, decides; if it refuses, no row
 * is returned, so what it owes is passed on as a setting that ends with the transaction.
 */
export const take = `with seen as (
  select ${owed("until", now)} as owed from ${tableName} where key = ${key}
), written as (
  insert into ${tableName} as bucket (key, until, amount)
  select ${key}, ${now} + least(${want}, ${window}), least(${want}, ${window})
  where coalesce((select ${grants} from seen), ${least} <= ${window})
  on conflict (key) do update set (until, amount) = (${after})
  where (
    select case when ${grants} then true else set_config('${tableName}.owed', owed::text, true) is null end
    from (select ${owed("bucket.until", now)} as owed) found
  )
  returning amount, until - ${now} as owed
)
select
  coalesce(written.amount, 0) as granted,
  coalesce(written.owed, nullif(current_setting('${tableName}.owed', true), '')::bigint, seen.owed, 0) as owed
from (values (0)) question left join seen on true left join written on true`

/** Puts tokens in: takes key, window and credit. */
export const put = `update ${tableName} set until = greatest(least(until, ${now} + ${window}) - $3::bigint, ${now})
where key = ${key} and until > ${now}`

/** Reads a bucket: takes the key, and returns what it owes. */
export const level = `select coalesce((select ${owed("until", now)} from ${tableName} where key = ${key}), 0) as owed`

/**
 * Records a heartbeat: takes group, member and microseconds, and returns the number of members. Zero removes the member.
 *
 * Members are separate rows, `group|member`; keys are encoded, so they contain no other bar.
 */
export const present = `with told as (
  insert into ${tableName} (key, until) values (${key} || '|' || $2::text, ${now} + $3::bigint)
  on conflict (key) do update set until = excluded.until
)
select count(*) + least($3::bigint, 1) as members from ${tableName}
where key > ${key} || '|' and key < ${key} || '}' and key <> ${key} || '|' || $2::text and until > ${now}`

/**
 * Replaces a text that is still the expected one: takes key, expected, next and milliseconds, and returns the text and the
 * time. An answer may show the text before that of another process, which a further statement then sees.
 */
export const swap = `with seen as (
  select circuit from ${tableName} where key = ${key} and until > ${now}
), written as (
  insert into ${tableName} as bucket (key, until, circuit)
  select ${key}, ${now} + $4::bigint, $3::text
  where $2::text <> $3::text and coalesce((select circuit from seen), '') = $2::text
  on conflict (key) do update set (until, circuit) = (excluded.until, excluded.circuit)
  where case when bucket.until > ${now} then coalesce(bucket.circuit, '') else '' end = $2::text
  returning circuit
)
select coalesce((select circuit from written), (select circuit from seen), '') as text, ${now} as micros`

/**
 * Deletes rows that mean the same as no row: takes a key, and the number of rows after it to read. Returns how many it
 * read, how many it deleted and the last key. Rows that another statement has locked are left for the next time.
 */
export const sweep = `with page as (
  select key, until from ${tableName} where key > ${key} order by key limit $2::bigint
), over as (
  select key from ${tableName} where key in (select key from page where until <= ${now}) and until <= ${now}
  for update skip locked
), deleted as (
  delete from ${tableName} where key in (select key from over) returning key
)
select
  (select count(*) from page) as read,
  (select count(*) from deleted) as deleted,
  coalesce((select max(key) from page), '') as last`
