export * as SeededRandom from "./SeededRandom.ts"
export * as VirtualClock from "./VirtualClock.ts"
