import { createHash } from 'node:crypto'
import { seesLess } from '../../identity/public.ts'
import type { Caller } from '../../kernel/context.ts'

type Seeing = Pick<Caller, 'role' | 'ownerIds' | 'fields'>

/** What a user sees as a digest, by which it is known whether two see the same. */
export function sightOf({ role, ownerIds, fields }: Seeing): string {
  return createHash('sha256')
    .update(JSON.stringify([role, ownerIds?.toSorted() ?? null, fields]))
    .digest('base64url')
}

/** What the model got and answered is shown only with the rights to see all of it. */
export const maySee = (caller: Seeing, sight: string | null): boolean => !seesLess(caller) || sight === sightOf(caller)
