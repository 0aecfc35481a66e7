// The process that parses one document: its bytes arrive at stdin, and the answer leaves at stdout as JSON.
import { buffer } from 'node:stream/consumers'
import { ParseFailure } from './block.ts'
import { parse } from './parse.ts'

const answer = await buffer(process.stdin)
  .then((bytes) => parse(process.argv[2]!, bytes))
  .catch((error: unknown) => {
    if (error instanceof ParseFailure) return { failure: { code: error.code, message: error.message } }
    throw error
  })
process.stdout.write(JSON.stringify(answer))
