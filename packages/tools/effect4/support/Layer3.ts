/** What tests use of Effect 3's `Layer` that Effect 4 has in another shape. */
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

export const setTracer = (tracer: Tracer.Tracer): Layer.Layer<never> => Layer.succeed(Tracer.Tracer, tracer)
