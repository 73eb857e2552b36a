/**
 * Code that has another shape in Effect 4 and can be derived from the source.
 */
import { context } from "./shapes/Context.ts"
import { http } from "./shapes/Http.ts"
import { platform } from "./shapes/Platform.ts"
import { routing } from "./shapes/Router.ts"
import { run } from "./shapes/Running.ts"
import { scheduling } from "./shapes/Schedules.ts"
import { services } from "./shapes/Services.ts"
import type { Place, Shape } from "./shapes/Shape.ts"
import { telemetry } from "./shapes/Telemetry.ts"

export const shapes = (place: Place): Shape => {
  const all = [...context, ...http, ...platform, ...routing, ...run, ...scheduling, ...services, ...telemetry].map(
    (make) => make(place)
  )
  return (node, inner) => {
    for (const shape of all) {
      const text = shape(node, inner)
      if (text !== undefined) return text
    }
    return undefined
  }
}
