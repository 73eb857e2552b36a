/** The dashboard and the alert rules, held against the metrics that programs export to Prometheus. */
import * as OtelMetrics from "@effect/opentelemetry/Metrics"
import * as Resource from "@effect/opentelemetry/Resource"
import { Backoff, CircuitBreaker, Classifier, Hedge, Observe, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus"
import { Effect, Layer } from "effect"
import { parse } from "yaml"
import { program as fleet } from "../src/observed-fleet.ts"
import { read, rowsOf } from "./rows.ts"

const dashboard: Json = JSON.parse(read("docs/dashboard/grafana.json"))
const alerts: Json = parse(read("docs/dashboard/alerts.yaml"))

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** The values of a key, wherever it stands. */
const valuesOf = (json: Json, name: string): ReadonlyArray<Json> =>
  typeof json === "object" && json !== null
    ? Object.entries(json).flatMap(([key, value]) => [...(key === name ? [value] : []), ...valuesOf(value, name)])
    : []

const queries: ReadonlyArray<string> = [
  ...valuesOf(dashboard, "expr"),
  ...valuesOf(alerts, "expr"),
  ...valuesOf(dashboard, "query")
].filter((query): query is string => typeof query === "string" && query.includes("retry_"))

/** The names of metrics and labels in a query. */
const wordsOf = (query: string): ReadonlyArray<string> => {
  // A name that is given by a pattern stands for both of its forms.
  const named = query.replaceAll(/__name__=~"(\w+)\((\w+)\)\?(\w+)"/g, "$1$3")
  return named.replaceAll(/"[^"]*"/g, "").match(/\b(?:retry|http|url)_\w+/g) ?? []
}

/** A series of another test: all tests of a process share its metrics. */
const ofOthers = /\bretry_(?:operation|circuit)="(?!of dashboard)/

/** Metrics and their labels, as Prometheus reads them. */
const exported = Effect.gen(function* () {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const layer = OtelMetrics.layer(() => exporter).pipe(Layer.provide(Resource.layer({ serviceName: "checkout" })))
  const { resourceMetrics } = yield* Effect.promise(() => exporter.collect()).pipe(Effect.provide(layer))
  return new PrometheusSerializer(undefined, false, undefined, true, true)
    .serialize(resourceMetrics)
    .split("\n")
    .filter((line) => line.startsWith("retry_") && !ofOthers.test(line))
    .map((line) => {
      const [, name = "", labels = ""] = /^(\w+)\{(.*)\} \S+$/.exec(line) ?? []
      return { name, labels: Array.from(labels.matchAll(/(\w+)="/g), ([, label = ""]) => label) }
    })
})

/** Operations that retry, give up, hedge and nest, with a bucket; one with a bucket of a fleet; and a circuit that is isolated. */
const operations = Effect.gen(function* () {
  const bucket = yield* TokenBucket.quota({ capacity: 100 })
  const own = {
    name: "of dashboard",
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "1 second" }),
    bucket,
    observe: [Observe.metrics]
  }
  const failing = Retry.retry(Effect.fail("busy"), own)
  yield* Retry.retry(Effect.void, own)
  yield* Effect.exit(Retry.retry(failing, { ...own, name: "of dashboard, nested" }))
  const { classifier, maxAttempts, name, observe } = own
  const hedge = { name, observe, classifier, maxAttempts, delay: "1 second", bucket } as const
  yield* Hedge.hedge(Effect.sleep("2 seconds"), hedge)
  yield* fleet
  const breaker = yield* CircuitBreaker.make({ onChange: Observe.circuit("of dashboard") })
  yield* breaker.isolate
  yield* Effect.sleep("1 second")
}).pipe(VirtualClock.run)

const program = Effect.zipRight(operations, exported)

describe("docs/dashboard", () => {
  it.effect("names metrics and labels that are exported, and leaves no metric out", () =>
    Effect.gen(function* () {
      const series = yield* program
      const names = new Set(series.map(({ name }) => name.replace(/_(?:count|sum)$/, "_bucket")))
      const known = new Set(series.flatMap(({ labels, name }) => [name, ...labels]))
      const used = queries.flatMap(wordsOf)
      expect(used.filter((word) => !known.has(word))).toEqual([])
      expect([...names].filter((name) => !used.includes(name))).toEqual([])
      expect(queries.length).toBeGreaterThan(20)
    })
  )

  it.effect("asks metrics for labels that they have", () =>
    Effect.gen(function* () {
      const labels = new Map((yield* program).map(({ labels, name }) => [name, labels]))
      for (const query of queries) {
        const words = wordsOf(query)
        const had = words.flatMap((word) => labels.get(word) ?? [])
        expect([query, ...words.filter((word) => !labels.has(word) && !had.includes(word))]).toEqual([query])
      }
    })
  )

  it("has the alerts of the page", () => {
    const rows = rowsOf("docs/observing.md", "## A dashboard and alerts").map(([name]) => name)
    expect(rows).toEqual(valuesOf(alerts, "alert").map((name) => `\`${String(name)}\``))
  })

  it.effect("has the metrics of the page, with their labels", () =>
    Effect.gen(function* () {
      const series = yield* program
      for (const [name = "", , , , labels = "", inPrometheus = ""] of rowsOf("docs/observing.md", "## Metrics")) {
        if (!name.startsWith("`retry.") || inPrometheus === "") continue
        const plain = (text: string) => text.replaceAll(/[`\s]/g, "")
        const expected = plain(labels).replaceAll(".", "_").split(",")
        const found = series.filter(({ name }) => name.replace(/_(?:bucket|count|sum)$/, "") === plain(inPrometheus))
        expect([name, found.length > 0]).toEqual([name, true])
        for (const { labels } of found) {
          expect([name, ...labels.filter((label) => label !== "le").toSorted()]).toEqual([name, ...expected.toSorted()])
        }
      }
    })
  )
})
