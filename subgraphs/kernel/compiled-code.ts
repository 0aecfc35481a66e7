import { setFlagsFromString } from 'node:v8'

// V8 caches the source and code of `new Function` until a garbage collection finds them old. A process that compiles an operation
// for every document would grow by gigabytes before that. Our own caches keep the compiled functions that are used again.
setFlagsFromString('--no-compilation-cache')
