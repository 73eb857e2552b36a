/**
 * The scripts of the buckets: `Gcra` in Lua.
 *
 * Each runs in one piece on the server, reads the server's own clock, names one key and writes at most that one. Numbers
 * are whole, so doubles hold them exactly; they are written with `%.0f`, for Lua's own text has 14 digits. A value that no
 * bucket wrote is answered as `WRONGTYPE`, which is also what Redis answers for a list or a hash, and is left alone.
 * Source: https://redis.io/docs/latest/develop/programmability/eval-intro/, read 2026-11-22.
 */

/**
 * A script and the digest by which a server that has it runs it.
 *
 * @category models
 */
export interface Script {
  readonly lua: string
  readonly sha: string
}

const whole = `
local value = redis.call('GET', KEYS[1])
if value and (#value > 16 or not string.find(value, '^%d+$')) then
  return redis.error_reply('WRONGTYPE The key holds a value that no bucket wrote')
end
local stored = tonumber(value)
`

const arrival = `${whole}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local window = tonumber(ARGV[1])
local arrival = math.min(math.max(stored or 0, now), now + window)
local function keep()
  redis.call('SET', KEYS[1], string.format('%.0f', arrival), 'PX', string.format('%.0f', math.ceil((arrival - now) / 1000)))
end
`

/**
 * Takes tokens: `window want least` gives `granted retryAfter room`, all in microseconds. The key expires when the bucket
 * is full. A refusal writes nothing, unless the clock went back (see `Gcra.taken`).
 *
 * @category constructors
 */
export const take: Script = {
  lua: `${arrival}
local want, least = tonumber(ARGV[2]), tonumber(ARGV[3])
local room = now + window - arrival
local granted, wait = math.min(want, room), 0
if granted < least then granted, wait = 0, least - room end
local isAhead = stored and stored > arrival
arrival = arrival + granted
if granted > 0 or isAhead then keep() end
return {granted, wait, room - granted}
`,
  sha: "0093bca6e402ce310bc20b8671f272e17d822825"
}

/**
 * Puts tokens in: `window credit` gives the room. A bucket that is full has no key.
 *
 * @category constructors
 */
export const put: Script = {
  lua: `${arrival}
if arrival > now then
  arrival = math.max(now, arrival - tonumber(ARGV[2]))
  if arrival > now then keep() else redis.call('DEL', KEYS[1]) end
end
return {now + window - arrival}
`,
  sha: "131c9af3c0abe8a626ae831fcd80871039991798"
}

/**
 * What can be taken now: `window` gives the room.
 *
 * @category constructors
 */
export const room: Script = {
  lua: `${arrival}
return {now + window - arrival}
`,
  sha: "f0aecf13345b6620fc818aaa60ba95ba3412f99d"
}

/**
 * Changes a count: `max change expiry` gives the count, which is never below 0 nor above the maximum. A count at its
 * maximum has no key; another one expires so many milliseconds after it was changed.
 *
 * @category constructors
 */
export const add: Script = {
  lua: `${whole}
local max, change = tonumber(ARGV[1]), tonumber(ARGV[2])
local count = math.min(stored or max, max)
local after = math.max(0, math.min(max, count + change))
if change ~= 0 then
  if after < max then
    redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', ARGV[3])
  elseif stored then
    redis.call('DEL', KEYS[1])
  end
end
return {after}
`,
  sha: "a11a0c097b1acf23047c796fa126004cf9f4a562"
}

/**
 * Says that a member is there for so many milliseconds: `member millis` gives how many are. Zero is a farewell.
 *
 * @category constructors
 */
export const present: Script = {
  lua: `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local millis = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', now + millis), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if redis.call('PTTL', KEYS[1]) < millis then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {redis.call('ZCARD', KEYS[1])}
`,
  sha: "e6692baf8ef85a63f795dd5bdae1016eed09e877"
}
