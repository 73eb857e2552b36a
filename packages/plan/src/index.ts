export * as Load from "./Load.ts"
export * as Plan from "./Plan.ts"
export * as SeededRandom from "./SeededRandom.ts"
export * as VirtualClock from "./VirtualClock.ts"
