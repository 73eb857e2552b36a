import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RateLimitFields from "../../src/classify/RateLimitFields.ts"

const policies = '"burst";q=100;w=60,"daily";q=1000;w=86400'

/** Values without a source are our own. */
type Row = readonly [rateLimit: string, policy: string | undefined, wait: number | undefined]

const table = (name: string, rows: ReadonlyArray<Row>) =>
  it.effect(name, () =>
    Effect.sync(() => {
      expect(rows.map(([rateLimit, policy]) => [rateLimit, policy, RateLimitFields.parse(rateLimit, policy)])).toEqual(
        rows
      )
    })
  )

describe("RateLimitFields.parse", () => {
  table("reads when quota becomes available", [
    // Source: draft-ietf-httpapi-ratelimit-headers-10, section 6, read 2026-11-20.
    ['"problemPolicy";r=0;t=10', undefined, 10_000],
    ['"default";r=0;t=0', undefined, 0],
    ['"default";r=0;t=-0', undefined, 0],
    ['"default";r=-0;t=30', undefined, 30_000],
    ['"";r=0;t=30', undefined, 30_000],
    ['"default";t=30;r=0', undefined, 30_000],
    ['  "default"; r=0; t=30  ', undefined, 30_000],
    ['"de\\"fau\\\\lt";r=0;t=30', undefined, 30_000],
    ['"default";r=0;t=60;pk=:QXBwLTk5OQ==:', undefined, 60_000],
    ['"default";r=0;t=30;acme-burst;acme-policy=token;comment="x"', undefined, 30_000],
    ['"default";r=0;t=5;t=30', undefined, 30_000],
    ['"default";r=5;r=0;t=30', undefined, 30_000],
    ['"default";r=000;t=030', undefined, 30_000],
    ['"default";r=0;t=2592000', undefined, 2_592_000_000],
    ['"default";r=0;t=999999999999999', undefined, 999_999_999_999_999_000],
    // The parser does not tell the Decimal 30.0, which the draft does not allow, from the Integer 30.
    ['"default";r=0.0;t=30.0', undefined, 30_000]
  ])

  table("takes the longest of several exhausted limits", [
    ['"burst";r=0;t=5, "daily";r=0;t=3600', undefined, 3_600_000],
    ['"daily";r=0;t=3600,"burst";r=0;t=5', undefined, 3_600_000],
    ['"burst";r=0;t=5, "daily";r=999;t=3600', undefined, 5_000],
    ['"same";r=0;t=5;pk=:QQ==:, "same";r=0;t=7;pk=:Qg==:', undefined, 7_000],
    ['"burst";r=0, "daily";r=0;t=3600', undefined, 3_600_000],
    ['"burst";r=0, "daily";r=0;t=5', policies, 60_000]
  ])

  table("takes the window of the policy where a limit has no time", [
    ['"burst";r=0', policies, 60_000],
    ['"daily";r=0', policies, 86_400_000],
    ['"burst";r=0;t=5', policies, 5_000],
    ['"burst";r=0;t=0', policies, 0],
    ['"burst";r=0,"daily";r=0', policies, 86_400_000],
    ['"burst";r=0,"daily";r=7', policies, 60_000],
    ['"p";r=0', '"p";q=1;w=10;pk=:QQ==:,"p";q=1;w=20;pk=:Qg==:', 20_000],
    // Source: draft-ietf-httpapi-ratelimit-headers-10, section 3.2, read 2026-11-20.
    ['"peruser";r=0', '"peruser";q=100;w=60;pk=:cHsdsRa894==:', 60_000],
    ['"peruser";r=0', '"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:', 10_000],
    ['"perhr";r=0', '"permin";q=50;w=60,"perhr";q=1000;w=3600', 3_600_000]
  ])

  table("says nothing where quota remains", [
    // Source: draft-ietf-httpapi-ratelimit-headers-10, sections 4.2, 7 and 8.5, read 2026-11-20.
    ['"default";r=50;t=30', undefined, undefined],
    ['"default";r=999;pk=:dHJpYWwxMjEzMjM=:', undefined, undefined],
    ['"default";r=300000000;t=60;pk=:QXBwLTk5OQ==:', undefined, undefined],
    ['"default";r=1;t=7', undefined, undefined],
    ['"daily";r=1;t=36400', undefined, undefined],
    ['"somepolicy";r=10000;t=10', '"somepolicy";q=10000;w=1000', undefined]
  ])

  table("says nothing where no time is given", [
    ['"default";r=0', undefined, undefined],
    ['"default";r=0', policies, undefined],
    ['"Burst";r=0', policies, undefined],
    ['"burst";r=0', '"burst";q=100', undefined],
    ["", undefined, undefined],
    [" ", policies, undefined]
  ])

  table("ignores malformed limits, all of them", [
    ['"default"', undefined, undefined],
    ['"default";t=30', undefined, undefined],
    ['"default";r;t=30', undefined, undefined],
    ['"default";r=?0;t=30', undefined, undefined],
    ['"default";r="0";t=30', undefined, undefined],
    ['"default";r=-1;t=30', undefined, undefined],
    ['"default";r=0;t=-1', undefined, undefined],
    ['"default";r=0;t=1.5', undefined, undefined],
    ['"default";r=0.5;t=30', undefined, undefined],
    ['"default";r=0;t', undefined, undefined],
    ['"default";r=0;t="30"', undefined, undefined],
    ['"default";r=0;t=30s', undefined, undefined],
    ['"default";r=0;t=+30', undefined, undefined],
    ['"default";r=0;t=1e3', undefined, undefined],
    ['"default";r=0;t=@30', undefined, undefined],
    ['"default";r=0;t=1000000000000000', undefined, undefined],
    ['"default";r=0;T=30', undefined, undefined],
    ["default;r=0;t=30", undefined, undefined],
    ["10;r=0;t=30", undefined, undefined],
    [":QQ==:;r=0;t=30", undefined, undefined],
    ['("default");r=0;t=30', undefined, undefined],
    ['"default;r=0;t=30', undefined, undefined],
    ['"default";r=0;t=30,', undefined, undefined],
    [',"default";r=0;t=30', undefined, undefined],
    ['"default";r=0;t=30 "other";r=0;t=40', undefined, undefined],
    ['"default";r=0;t=30, other;r=0;t=40', undefined, undefined],
    ['"default";r=0;t=30, "other"', undefined, undefined],
    ['"defäult";r=0;t=30', undefined, undefined],
    ['"default";r=0;t=٣٠', undefined, undefined],
    ['"default";r=0;t=30\0', undefined, undefined],
    ['"default";r=0;t=30;pk=:Q===Q:', undefined, undefined],
    // Source: draft-ietf-httpapi-ratelimit-headers-07, section 3.1, read 2026-11-20: what the field was before.
    ["limit=100, remaining=0, reset=50", undefined, undefined],
    ["100;w=60", undefined, undefined]
  ])

  table("ignores a malformed policy", [
    ['"burst";r=0;t=5', "nonsense", 5_000],
    ['"burst";r=0', "", undefined],
    ['"burst";r=0', '"burst";w=60', undefined],
    ['"burst";r=0', '"burst";q=100;w=0', undefined],
    ['"burst";r=0', '"burst";q=100;w=-60', undefined],
    ['"burst";r=0', '"burst";q=100;w=60.5', undefined],
    ['"burst";r=0', '"burst";q=100;w', undefined],
    ['"burst";r=0', '"burst";q=-1;w=60', undefined],
    ['"burst";r=0', "burst;q=100;w=60", undefined],
    ['"burst";r=0', '"burst";q=100;w=60,daily;q=1;w=1', undefined],
    ['"burst";r=0', '"burst";q=100;w=60,', undefined],
    ['"burst";r=0', '"burst";q=100;w=60;w="60"', undefined]
  ])
})
