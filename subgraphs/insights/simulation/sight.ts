import { isHidden } from '../../kernel/record/field-security.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { opportunityShape } from './model/open-deals.ts'

/** The fields of deals that a result depends on and a profile can hide. */
const usedFields = ['amount', 'baseAmount', 'closedAt', 'ownerId', 'type']

/** What a result was computed with: the owners whose deals were seen (null: all), and the hidden ones of the used fields. */
export interface Sight {
  readonly ownerIds: readonly string[] | null
  readonly hidden: readonly string[]
}

export const sightOf = ({ caller }: Pick<RequestContext, 'caller'>): Sight => ({
  ownerIds: caller.ownerIds && [...caller.ownerIds].toSorted(),
  hidden: usedFields.filter((name) => isHidden(caller, opportunityShape(), name)),
})

/** Whether a reader may see everything that went into a result. */
export function mayRead(reader: Sight, result: Sight): boolean {
  const { ownerIds } = reader
  const seesOwners =
    ownerIds === null || (result.ownerIds !== null && result.ownerIds.every((id) => ownerIds.includes(id)))
  return seesOwners && reader.hidden.every((name) => result.hidden.includes(name))
}
