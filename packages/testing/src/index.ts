export * as Scripted from "./Scripted.ts"
export * as SeededRandom from "./SeededRandom.ts"
export * as Timeline from "./Timeline.ts"
export * as VirtualClock from "./VirtualClock.ts"
