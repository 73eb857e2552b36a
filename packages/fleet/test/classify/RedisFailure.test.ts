import { describe, expect, it } from "@effect/vitest"
import * as RedisFailure from "../../src/classify/RedisFailure.ts"
import type * as StoreFailure from "../../src/classify/StoreFailure.ts"

const coded = (code: string, message: string) => Object.assign(new Error(message), { code })
const named = (name: string, message: string) => Object.assign(new Error(message), { name })

/** Texts of Redis 7.0.15, src/server.c, src/acl.c and src/cluster.c, unless a row says otherwise. */
describe("RedisFailure.fromUnknown", () => {
  it.each<[unknown, StoreFailure.Failure]>([
    [new Error("LOADING Redis is loading the dataset in memory"), { reason: "Unavailable", code: "LOADING" }],
    [new Error("READONLY You can't write against a read only replica."), { reason: "Unavailable", code: "READONLY" }],
    [
      new Error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
      { reason: "Unavailable", code: "MASTERDOWN" }
    ],
    [new Error("CLUSTERDOWN The cluster is down"), { reason: "Unavailable", code: "CLUSTERDOWN" }],
    [new Error("TRYAGAIN Multiple keys request during rehashing of slot"), { reason: "Unavailable", code: "TRYAGAIN" }],
    [new Error("MOVED 3999 10.0.0.7:6381"), { reason: "Unavailable", code: "MOVED" }],
    [new Error("ASK 3999 10.0.0.7:6381"), { reason: "Unavailable", code: "ASK" }],
    [
      new Error("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."),
      { reason: "Unavailable", code: "BUSY" }
    ],
    [new Error("NOREPLICAS Not enough good replicas to write."), { reason: "Unavailable", code: "NOREPLICAS" }],
    [new Error("NOAUTH Authentication required."), { reason: "Refused", code: "NOAUTH" }],
    [
      new Error("WRONGPASS invalid username-password pair or user is disabled."),
      { reason: "Refused", code: "WRONGPASS" }
    ],
    [
      new Error("NOPERM this user has no permissions to run the 'evalsha' command"),
      { reason: "Refused", code: "NOPERM" }
    ],
    [
      new Error(
        "ERR ACL failure in script: User noperm has no permissions to run the 'time' command script: c83f, on @user_script:8."
      ),
      { reason: "Refused", code: "NOPERM" }
    ],
    [
      // Redis 6.2.14, src/scripting.c.
      new Error("ERR The user executing the script can't run this command or subcommand"),
      { reason: "Refused", code: "NOPERM" }
    ],
    [new Error("ERR max number of clients reached"), { reason: "Unavailable", code: "ERR" }],
    [
      new Error("DENIED Redis is running in protected mode because protected mode is enabled"),
      { reason: "Refused", code: "DENIED" }
    ],
    [
      new Error("WRONGTYPE Operation against a key holding the wrong kind of value script: c83f"),
      { reason: "WrongType", code: "WRONGTYPE" }
    ],
    [
      new Error("OOM command not allowed when used memory > 'maxmemory'. script: c83f, on @user_script:13."),
      { reason: "Full", code: "OOM" }
    ],
    [
      // Redis 6.2.14, src/scripting.c.
      new Error(
        "ERR Error running script (call to f_c83f): @user_script:13: @user_script: 13: -OOM command not allowed when used memory > 'maxmemory'."
      ),
      { reason: "Full", code: "OOM" }
    ],
    [
      new Error("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."),
      { reason: "Full", code: "MISCONF" }
    ],
    // Renamed or disabled by `rename-command`, sent by itself: Redis 7, and Redis 5 and 6.
    [
      new Error("ERR unknown command 'evalsha', with args beginning with: 'c83f' '1'"),
      { reason: "Refused", code: "ERR" }
    ],
    [
      new Error("ERR unknown command `EVALSHA`, with args beginning with: `c83f`, `1`, "),
      { reason: "Refused", code: "ERR" }
    ],
    // The same in a script: Redis 7, and Redis 6.2.14, src/scripting.c.
    [
      new Error("ERR Unknown Redis command called from script script: c83f, on @user_script:8."),
      { reason: "Refused", code: "ERR" }
    ],
    [
      new Error(
        "ERR Error running script (call to f_c83f): @user_script:8: @user_script: 8: Unknown Redis command called from Lua script"
      ),
      { reason: "Refused", code: "ERR" }
    ],
    [new Error("ERR value is not an integer or out of range"), { reason: "BadAnswer", code: "ERR" }],
    [new Error("NOSCRIPT No matching script. Please use EVAL."), { reason: "BadAnswer", code: "NOSCRIPT" }],
    // ioredis 5.11.1 and redis-parser 3.0.0.
    [coded("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:6379"), { reason: "Unavailable", code: "ECONNREFUSED" }],
    [new Error("Stream isn't writeable and enableOfflineQueue options is false"), { reason: "Unavailable", code: "" }],
    [
      named("MaxRetriesPerRequestError", "Reached the max retries per request limit (which is 0)."),
      { reason: "Unavailable", code: "" }
    ],
    [new Error("Connection is closed."), { reason: "Unavailable", code: "" }],
    [new Error("Command timed out"), { reason: "TimedOut", code: "" }],
    [named("ParserError", `Protocol error, got "H" as reply type byte`), { reason: "BadAnswer", code: "ParserError" }],
    // @redis/client 6.3.1.
    [new Error("The client is offline"), { reason: "Unavailable", code: "" }],
    [new Error("Socket closed unexpectedly"), { reason: "Unavailable", code: "" }],
    // No client at all.
    [new TypeError("connection.evalsha is not a function"), { reason: "BadAnswer", code: "TypeError" }],
    [coded("a code\nwith lines", "no"), { reason: "Unavailable", code: "" }],
    [
      { code: 7, message: ["OOM"] },
      { reason: "Unavailable", code: "" }
    ],
    ["OOM", { reason: "Unavailable", code: "" }],
    [undefined, { reason: "Unavailable", code: "" }]
  ])("%s", (thrown, failure) => {
    expect(RedisFailure.fromUnknown(thrown)).toEqual(failure)
  })
})

describe("RedisFailure.isNoScript", () => {
  it.each<[unknown, boolean]>([
    [new Error("NOSCRIPT No matching script. Please use EVAL."), true],
    [new Error("ERR NOSCRIPT"), false],
    [undefined, false]
  ])("%s: %s", (thrown, is) => {
    expect(RedisFailure.isNoScript(thrown)).toBe(is)
  })
})
