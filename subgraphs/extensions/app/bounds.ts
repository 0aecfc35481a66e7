// The limits of apps that an organization publishes.

/** Packages of an organization, deleted ones too: their slugs are never free again. */
export const packagesMax = 50
export const versionsMax = 200
/** What the files of all versions of an organization take together, compressed. */
export const packageBytesMax = 256 * 1_048_576

export const slugPattern = /^[a-z][a-z0-9-]{1,47}$/
export const slugMax = 48
export const nameMax = 100
export const descriptionMax = 1_000
export const urlMax = 2_000
export const releaseNotesMax = 4_000

/** `1.4.0`: three numbers of at most six digits. */
export const numberPattern = /^(?:0|[1-9][0-9]{0,5})(?:\.(?:0|[1-9][0-9]{0,5})){2}$/
export const numberMax = 20

export const slotsMax = 20
export const slotKeyPattern = /^[a-z][a-z0-9_-]{0,47}$/
export const slotLabelMax = 80
export const slotTypesMax = 100
export const slotHeight = { minimum: 50, maximum: 2_000, initial: 300 } as const

/** Versions that the page of an app in the marketplace lists. */
export const shownVersionsMax = 20
