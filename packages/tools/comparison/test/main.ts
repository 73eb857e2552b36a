/**
 * Not written yet.
 */
export const isWritten = false
