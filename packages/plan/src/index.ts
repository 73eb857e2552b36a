export * as Load from "./Load.ts"
export * as Plan from "./Plan.ts"
export * as SeededRandom from "./chance/SeededRandom.ts"
export * as VirtualClock from "./clock/VirtualClock.ts"
