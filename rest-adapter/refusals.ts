import { notFound, Refusal } from '../subgraphs/kernel/errors.ts'

/** HEAD must not run a mutation: link previewers send HEAD, and it would consume the one-time token in a link. */
export const headNotAllowed = (): Refusal =>
  new Refusal('METHOD_NOT_ALLOWED', 'HEAD is not allowed on this path, because GET changes data here; send GET.', {
    allow: ['GET'],
  })

export const keyRequired = (name: string): Refusal =>
  new Refusal('UNAUTHENTICATED', `Send the API key in the query of the address: ?${name}=<key>. Headers are not read.`)

export function noSuchRecord(path: string): Refusal {
  const { code, message } = notFound('The record')
  return new Refusal(code, message, {
    errors: [{ path, code: 'NOT_FOUND', message: `No record can have this ${path}.` }],
  })
}
