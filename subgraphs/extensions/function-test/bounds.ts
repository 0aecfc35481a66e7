// The limits of tests of functions, by the numbers of the README of `extensions`.

/** Of one function. */
export const testsMax = 50
/** The files of the tests of one function together, as the largest source. */
export const testBytesMax = 262_144
/** Of a run: of a request, or of a deployment. */
export const runTestsMax = 200
/** All tests of a run together. Those that are left then are not run. */
export const runMsMax = 60_000
export const answersMax = 50
/** Characters of what a test shows of the log of its function. */
export const shownLogCharactersMax = 4_000
/** Characters of what is shown of a value, and of an error. */
export const shownCharactersMax = 500

/** Characters of what says why a test has not passed. */
export const messageMax = 2_000

/** The name of a test is that of its file, without `.json`. */
export const testNamePattern = /^[A-Za-z0-9_-]{1,64}$/
