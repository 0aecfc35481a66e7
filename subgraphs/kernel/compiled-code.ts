import { setFlagsFromString } from 'node:v8'

// V8 keeps source and code of what `new Function` made, as long as no garbage collection finds that they are old: a process that
// compiles a new operation for every document grows by gigabytes before that happens. What is worth keeping is kept by our caches.
setFlagsFromString('--no-compilation-cache')
