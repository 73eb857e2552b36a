/** The clients of Effect 3's `@effect/platform-node`, by the names that they have there. */
import { NodeHttpClient as four, NodeServices } from "@effect/platform-node"

export const NodeHttpClient = {
  Dispatcher: four.Dispatcher,
  layer: four.layerNodeHttp,
  layerUndici: four.layerUndici,
  layerUndiciWithoutDispatcher: four.layerUndiciNoDispatcher,
  layerWithoutAgent: four.layerNodeHttpNoAgent,
  makeAgentLayer: four.layerAgentOptions,
  makeDispatcher: four.makeDispatcher
}

export const NodeContext = { layer: NodeServices.layer }
