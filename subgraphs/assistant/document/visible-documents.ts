import { Refusal } from '../../kernel/errors.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { readScope } from '../question/find-names.ts'
import type { TenantPredicate } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { objectOf } from './document.enumerations.ts'

/**
 * The condition for the documents that the caller sees: those that are linked to a record that the caller sees, and without a link
 * those that are shared with the organization and the caller's own. A credential also needs the scope to read the record, and without a link READ_DOCUMENTS.
 */
export function visibleDocuments(predicate: TenantPredicate, alias: string): string {
  const linked = Object.entries(objectOf).map(([type, object]) => {
    if (!holdsScope(predicate.caller, readScope(object))) return 'false'
    const shape = recordType(object)()
    const record = predicate.alias()
    try {
      const live = predicate.live(shape, record)
      return `(${alias}.record_type = '${type}' and exists (select 1 from ${readSource(shape)} ${record} where ${live} and ${record}.id = ${alias}.record_id))`
    } catch (error) {
      // The plan lacks the feature of the record type.
      if (error instanceof Refusal) return 'false'
      throw error
    }
  })
  const isUnlinkedRead = holdsScope(predicate.caller, 'READ_DOCUMENTS')
  const unlinked = !isUnlinkedRead
    ? 'false'
    : `(${alias}.record_type is null and (${alias}.is_shared or ${predicate.own(alias)}))`
  return `${alias}.organization_id = ${predicate.organization()} and ${alias}.deleted_at is null and (${[unlinked, ...linked].join(' or ')})`
}
