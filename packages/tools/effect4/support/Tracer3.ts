/** What tests use of Effect 3's `Tracer` that Effect 4 has in another shape. */
import * as Tracer from "effect/Tracer"

/** A tracer whose spans are made of their parts, one after the other. */
export const make = ({ span }: { readonly span: (...parts: ReadonlyArray<any>) => any }): Tracer.Tracer =>
  Tracer.make({
    span: ({ annotations, kind, links, name, parent, startTime }) =>
      Object.assign(span(name, parent, annotations, links, startTime, kind), { annotations })
  })
