/** The names of the options of a run. */
export const RUN_OPTIONS: readonly string[] = ["state", "secrets", "signal", "fetch", "clock", "journal", "store", "longWaitMs", "replay", "from", "onMismatch", "owner", "answers", "pins", "seed", "limits", "allowOrigins", "mayReach", "relay", "trace", "sessionId", "userId", "tenantId", "metadata", "dependencies", "files"];
