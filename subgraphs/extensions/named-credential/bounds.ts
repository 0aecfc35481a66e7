export const credentialsMax = 100
export const urlMax = 2_000
export const secretMax = 8_192
export const scopesMax = 50
export const timeoutBounds = { minimum: 1_000, maximum: 10_000 } as const
export const timeoutDefault = 10_000
