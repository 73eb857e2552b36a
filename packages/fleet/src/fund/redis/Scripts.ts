/**
 * The scripts of the buckets: `Gcra` in Lua.
 *
 * Each runs atomically on the server, reads the server's own clock, names one key and writes at most that one. Numbers
 * are whole, so doubles hold them exactly; they are passed to commands as numbers, because Lua's own text has only 14
 * digits. A value that no bucket wrote is answered with `WRONGTYPE`, as Redis does for a list or a hash, and is not
 * changed. Source: https://redis.io/docs/latest/develop/programmability/eval-intro/, read 2026-11-22.
 */

/** A script, and the digest by which a server that has it can run it. */
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
local now = time[1] * 1000000 + time[2]
local window = tonumber(ARGV[1])
local arrival = stored or now
if arrival < now then arrival = now elseif arrival > now + window then arrival = now + window end
`

const keep = "redis.call('SET', KEYS[1], arrival, 'PX', math.ceil((arrival - now) / 1000))"

/**
 * Takes tokens: takes `window want least` and returns `granted retryAfter room`, all in microseconds. The key expires
 * when the bucket is full. A refusal writes nothing.
 */
export const take: Script = {
  lua: `${arrival}
local want, least = tonumber(ARGV[2]), tonumber(ARGV[3])
if stored and stored - now > 2 * window and least <= window then arrival = now + window - least end
local room = now + window - arrival
local granted, wait = want, 0
if granted > room then granted = room end
if granted < least then granted, wait = 0, least - room end
if granted > 0 then
  arrival = arrival + granted
  ${keep}
end
return {granted, wait, room - granted}
`,
  sha: "67eb9a57a0ad4fdc2a923ead58268c20bc731f2e"
}

/** Puts tokens in: takes `window credit` and returns the room. A full bucket has no key. */
export const put: Script = {
  lua: `${arrival}
if arrival > now then
  arrival = math.max(now, arrival - tonumber(ARGV[2]))
  if arrival > now then ${keep} else redis.call('DEL', KEYS[1]) end
end
return {now + window - arrival}
`,
  sha: "a490440c4acf5f8785a9a2f1dd0c3c4d4822a624"
}

/** Reads what can be taken now: takes `window` and returns the room. */
export const room: Script = {
  lua: `${arrival}
return {now + window - arrival}
`,
  sha: "72b8926e92ff84be3f9fe76660e339bd9af6e89f"
}

/**
 * Records a heartbeat that is valid for some milliseconds: takes `member millis` and returns the number of members.
 * Zero removes the member.
 */
export const present: Script = {
  lua: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local millis = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now + millis, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('PTTL', KEYS[1]) < millis then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {redis.call('ZCARD', KEYS[1])}
`,
  sha: "9552cf082bee36d2f2c72d7844acaf5d768a8224"
}

/** Replaces a text that is still the expected one: takes `expected next millis` and returns the text and the time. */
export const swap: Script = {
  lua: `
local text = redis.call('GET', KEYS[1]) or ''
if text == ARGV[1] and ARGV[1] ~= ARGV[2] then
  text = ARGV[2]
  redis.call('SET', KEYS[1], text, 'PX', ARGV[3])
end
local time = redis.call('TIME')
return {text, time[1] * 1000000 + time[2]}
`,
  sha: "1743d243acb99ffa3cc868baac235d28dd38c61d"
}
