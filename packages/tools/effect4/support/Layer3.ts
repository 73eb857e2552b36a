/** What tests use of Effect 3's `Layer` that Effect 4 has in another shape. */
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

export const setClock = (clock: Clock.Clock): Layer.Layer<never> => Layer.succeed(Clock.Clock, clock)

export const setTracer = (tracer: Tracer.Tracer): Layer.Layer<never> => Layer.succeed(Tracer.Tracer, tracer)
