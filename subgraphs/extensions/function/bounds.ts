// The limits of functions, by the numbers of the specification and of the README of this folder.

export const functionsMax = 100
export const secretsMax = 50
export const versionsMax = 1_000
export const sourceMax = 262_144
export const secretMax = 8_192
export const noteMax = 500
export const nameMax = 120
export const descriptionMax = 1_000
export const scheduleMax = 120
export const allowedHostsMax = 20
export const eventTypesMax = 20
export const scopesMax = 64
export const timeoutBounds = { minimum: 1_000, maximum: 30_000 } as const
export const memoryBounds = { minimum: 16, maximum: 128 } as const
export const timeoutDefault = 10_000
export const memoryDefault = 128
export const envVarsMax = 100
export const envVarMax = 8_192
export const envVarsCharactersMax = 65_536
/** Of the input and the output of an invocation, as JSON. */
export const payloadBytesMax = 262_144
/** Of an organization. */
export const invocationsPerMinute = 600
export const cpuMsPerMinute = 60_000

export const apiNamePattern = /^[a-z][a-z0-9_]{1,47}$/
/** Names of secrets and of environment variables. */
export const upperNamePattern = /^[A-Z_][A-Z0-9_]{0,63}$/
export const scopePattern = /^(?:READ|WRITE)_[A-Z_]+$/
