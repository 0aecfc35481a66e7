// The limits of flows and their interviews.

export const flowsMax = 200
export const variablesMax = 100
export const elementsMax = 200
export const labelMax = 120
export const descriptionMax = 2_000
/** Of the variables and elements of a flow, as JSON. */
export const definitionCharactersMax = 262_144
export const screenFieldsMax = 50
export const optionsMax = 200
export const outcomesMax = 20
export const assignmentsMax = 50
/** Values of a list of a variable, and items of one loop. */
export const itemsMax = 1_000
/** Records that one element reads. */
export const recordsMax = 100
/** Subflows inside one another, with the flow that is run. */
export const flowDepthMax = 5
export const waitMinutesMax = 43_200

export const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,47}$/
export const nameRule = 'must be a letter, then letters, digits and underscores, at most 48'

/** Executed elements of one interview. */
export const executedMax = 5_000
/**
 * What one request, or one turn of a worker, executes: elements, and of these so many that write records or call an action, of which there is one. Each
 * of those may need a call of a hook, and a transaction has at most 20 of these.
 */
export const turnElementsMax = 500
export const turnEffectsMax = 15
/** After this time no further element begins in a request or a turn; one that has begun, such as an action of 30 s, ends. */
export const turnMs = 5_000
/** What an interview remembers, and what one element returns, as JSON. */
export const stateCharactersMax = 262_144
export const outputCharactersMax = 65_536
/** Of the values of a request. */
export const valuesCharactersMax = 65_536
export const textValueMax = 32_000
/** Screens to which a user can go back. */
export const historyMax = 20
export const historyCharactersMax = 1_048_576
/** Open interviews of one user. */
export const openInterviewsMax = 200
export const openDays = 7
export const keptDays = 30
