import type { Caller, FieldRestrictions } from '../context.ts'

type Rights = Pick<Caller, 'ownerIds' | 'fields'>

function commonOwners(all: readonly Rights[]): readonly string[] | null {
  const lists = all.flatMap(({ ownerIds }) => (ownerIds ? [ownerIds] : []))
  const [first, ...others] = lists
  return first ? first.filter((id) => others.every((ids) => ids.includes(id))) : null
}

/** Every restriction of any of them; HIDDEN is stricter than READ. */
export function commonFields(all: readonly Pick<Caller, 'fields'>[]): FieldRestrictions | null {
  const restricted = all.flatMap(({ fields }) => (fields ? [fields] : []))
  if (restricted.length < 2) return restricted[0] ?? null
  const common: Record<string, Record<string, 'HIDDEN' | 'READ'>> = {}
  for (const fields of restricted)
    for (const [object, levels] of Object.entries(fields)) {
      const own = (common[object] ??= {})
      for (const [name, level] of Object.entries(levels)) if (own[name] !== 'HIDDEN') own[name] = level
    }
  return common
}

/** What all of these users may see: the records of the owners that each of them sees, without what any of their profiles hides. */
export const commonRights = (all: readonly Rights[]): Rights => ({
  ownerIds: commonOwners(all),
  fields: commonFields(all),
})
