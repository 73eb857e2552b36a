import { TokenBucketContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { layer } from "../src/custom-bucket.ts"

TokenBucketContract.suite(vitest, "The custom bucket", layer)
