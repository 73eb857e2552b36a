import { describe, expect, it } from "@effect/vitest"
import type { Style } from "../src/Paint.ts"
import * as Paint from "../src/Paint.ts"
import type { Attempt, Track } from "../src/Timeline.ts"
import * as Timeline from "../src/Timeline.ts"
import * as Runs from "./support/Runs.ts"

const plain: Style = { width: 80, colour: false, glyphs: Paint.ascii }

const drawn = (style: Style, tracks: ReadonlyArray<Track>, bound?: Timeline.Bound) =>
  Timeline.draw(style, tracks, bound).map((line) => Paint.render(style, line))

const tracks = {
  twoFailures: Timeline.fromRun(Runs.twoFailures),
  hinted: Timeline.fromRun(Runs.hinted),
  cut: Timeline.fromRun(Runs.cut),
  refused: Timeline.fromRun(Runs.refused),
  final: Timeline.fromRun(Runs.final)
}

const many = (count: number): Track => ({
  name: "many",
  succeeded: false,
  ending: "stopped",
  attempts: Array.from({ length: count }, (_, i): Attempt => ({
    startedMillis: i * i,
    endedMillis: i * i + 3,
    outcome: "failed",
    letter: "S",
    labels: ["503: Server", "503"]
  }))
})

describe("Timeline.fromRun", () => {
  it("labels attempts by what the server answered and what the toolkit made of it", () => {
    expect(tracks.hinted.attempts.map(({ labels }) => labels)).toEqual([
      ["429: Throttling, hint 1 s", "429: Throttling", "429"],
      ["200"]
    ])
    expect(tracks.cut.attempts.map(({ labels }) => labels)).toEqual([["hang: Timeout", "hang"], ["200"]])
    expect(tracks.final.attempts.map(({ labels }) => labels)).toEqual([["404: Terminal", "404"]])
  })

  it("takes the times of the server, to the moment a connection was given up", () => {
    expect(tracks.cut.attempts.map(({ endedMillis, startedMillis }) => [startedMillis, endedMillis])).toEqual([
      [0, 500],
      [600, 602]
    ])
    expect(tracks.cut.attempts.map(({ outcome }) => outcome)).toEqual(["cut", "succeeded"])
  })

  it.each([
    [Runs.twoFailures, "ok after 3 attempts, 0.30 s"],
    [Runs.refused, "stopped after 2 attempts, 0.48 s: the deadline of 1 s would pass"],
    [Runs.final, "stopped after 1 attempt, 0.00 s: not retryable, 404 is final"],
    [
      { ...Runs.refused, ending: { _tag: "Failed", error: "Unavailable" } as const },
      "failed after 2 attempts, 0.48 s: Unavailable"
    ]
  ])("says how it ended", (run, ending) => {
    expect(Timeline.fromRun(run).ending).toBe(ending)
  })

  it("shows an attempt that never reached the server as lost", () => {
    const [first, ...rest] = Runs.cut.attempts
    if (first === undefined) throw new Error("the run has no attempt")
    const track = Timeline.fromRun({ ...Runs.cut, attempts: [{ ...first, seen: undefined }, ...rest] })
    expect(track.attempts[0]).toEqual({
      startedMillis: 0,
      endedMillis: 500,
      outcome: "cut",
      letter: "?",
      labels: ["lost: Timeout", "lost"]
    })
  })
})

describe("Timeline.draw", () => {
  it("draws attempts and waits to scale, in ASCII", () => {
    expect(drawn({ ...plain, width: 72 }, [tracks.twoFailures])).toEqual([
      "   ours    #----- 98 ms ------#-------------- 198 ms --------------o",
      "           503: Server        503: Server                          200",
      "           ok after 3 attempts, 0.30 s",
      "           ' 0      ' 50 ms   ' 100 ms ' 150 ms ' 200 ms ' 250 ms"
    ])
  })

  it("draws an attempt that hangs as long as it hung, in Unicode", () => {
    expect(drawn({ ...plain, width: 72, glyphs: Paint.unicode }, [tracks.cut])).toEqual([
      "   ours    ■━━━━━━━━━━━━━━━━━━━ 500 ms ━━━━━━━━━━━━━━━━━━━╳────────●",
      "           hang: Timeout                                           200",
      "           ok after 2 attempts, 0.60 s",
      "           ╵ 0      ╵ 100 ms  ╵ 200 ms ╵ 300 ms ╵ 400 ms  ╵ 500 ms"
    ])
  })

  it("draws all tracks on one axis, which goes as far as the deadline", () => {
    expect(
      drawn({ ...plain, width: 72, glyphs: Paint.unicode }, [tracks.refused, tracks.final], {
        atMillis: 1000,
        name: "deadline"
      })
    ).toEqual([
      "   ours    ■───────── 478 ms ─────────■                            ┊",
      "           503: Server                503: Server",
      "           stopped after 2 attempts, 0.48 s: the deadline of 1 s would",
      "           pass",
      "   ours    ■                                                       ┊",
      "           404: Terminal",
      "           stopped after 1 attempt, 0.00 s: not retryable, 404 is final",
      "           ╵ 0        ╵ 200 ms   ╵ 400 ms    ╵ 600 ms deadline 1 s ┊"
    ])
  })

  it("puts the start of each attempt where its time is on the axis, within half a column", () => {
    const [bar = ""] = drawn(plain, [tracks.twoFailures])
    const columns = [...bar].flatMap((char, i) => (char === "#" || char === "o" ? [i] : [])).filter((i) => i >= 11)
    const [first = 0, second = 0, third = 0] = columns
    expect(columns).toHaveLength(3)
    expect(first).toBe(11)
    expect(Math.abs((second - first) / (third - first) - 100 / 300) * (third - first)).toBeLessThanOrEqual(0.5)
  })

  it("keeps the labels of attempts apart that follow each other at once", () => {
    const attempts = [0, 1, 2, 1000].map((startedMillis): Attempt => ({
      startedMillis,
      endedMillis: startedMillis + 1,
      outcome: "failed",
      letter: "S",
      labels: ["503: Server", "503"]
    }))
    const [bar, below] = drawn({ ...plain, width: 72 }, [{ ...many(0), attempts }])
    expect(bar).toMatch(/^ {3}many {4}#-*#-*#--+ 997 ms --+#/)
    expect(below).toMatch(/^ {11}503 503 503: Server {10,}503$/)
  })

  it.each([72, 80, 100, 120])("stays within %d columns, whatever happened", (width) => {
    const drawings = [Paint.ascii, Paint.unicode].map((glyphs) => {
      const style = { ...plain, width, glyphs }
      const all = [...Object.values(tracks), ...[0, 1, 2, 7, 20, 40, 200].map(many)]
      return [
        ...all.flatMap((track) => drawn(style, [track])),
        ...all.flatMap((track) => drawn(style, [track], { atMillis: 500, name: "deadline" })),
        ...drawn(style, all)
      ]
    })
    expect(drawings.flat().filter((line) => line.length > width)).toEqual([])
    expect(drawings[0]?.filter((line) => !/^[ -~]*$/.test(line))).toEqual([])
  })

  it("has the same text with colours and without", () => {
    const lines = Timeline.draw(plain, Object.values(tracks))
    const codes = new RegExp(`${"\u001B"}\\[\\d+m`, "g")
    const coloured = lines.map((line) => Paint.render({ ...plain, colour: true }, line))
    expect(coloured.filter((line) => line.search(codes) >= 0).length).toBeGreaterThan(lines.length / 2)
    expect(coloured.map((line) => line.replace(codes, "").trimEnd())).toEqual(
      lines.map((line) => Paint.render(plain, line))
    )
  })
})

describe("Timeline.drawSideBySide", () => {
  const pairs = [
    [tracks.twoFailures, tracks.hinted],
    [tracks.cut, tracks.final]
  ] as const

  it("draws a pair per line, with a letter per attempt and a sign for what did not succeed", () => {
    const style = { ...plain, width: 72 }
    expect(Timeline.drawSideBySide(style, ["ours", "native"], pairs).map((line) => Paint.render(style, line))).toEqual([
      "       ours                              native",
      "    1  S--S----o                         T-------------------------o",
      "    2  H============X--o                 N                             !",
      "       ' 0          ' 500 ms     ' 1 s   ' 0          ' 500 ms     ' 1 s"
    ])
  })

  it.each([72, 80, 101, 120])("stays within %d columns", (width) => {
    const style = { ...plain, width }
    const lines = Timeline.drawSideBySide(style, ["ours", "native"], [...pairs, [many(30), many(200)]])
    expect(lines.map((line) => Paint.render(style, line)).filter((line) => line.length > width)).toEqual([])
  })
})
