import { Refusal } from '../errors.ts'

/** Why an item of a bulk request failed. */
export interface ItemFailure {
  readonly code: string
  readonly message: string
  readonly errors: unknown
}

export type Attempted<T> = { readonly done: T; readonly failure?: never } | { readonly failure: ItemFailure }

/** The result of the work of one item, or its refusal. A hook that cannot decide says nothing about one record, so all of them may be sent again. */
export async function attempted<T>(work: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { done: await work() }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'HOOK_UNAVAILABLE') throw error
    return { failure: { code: error.code, message: error.message, errors: error.extensions['errors'] ?? null } }
  }
}
