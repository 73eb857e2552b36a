/** An interruption of Effect 4 is by no fiber where none is named. */
export const none = undefined
