import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { componentsOf, fieldsInConditions, readDefinition, type PageComponent } from './page-definition.ts'
import type { Page } from './page.ts'

/** Record types, and fields of them. */
type Named = readonly [type: string, field: string | null]

function namedBy(component: PageComponent, objectType: string): Named[] {
  const conditions = fieldsInConditions(component).map((field): Named => [objectType, field])
  if (component.type === 'FIELDS')
    return [...conditions, ...component.items.map(({ field }): Named => [objectType, field])]
  if (component.type !== 'RELATED_LIST') return conditions
  const { objectType: type, field, columns } = component
  return [...conditions, [type, null], ...[field, ...columns].map((name): Named => [type, name])]
}

/**
 * The custom objects and custom fields that a page names, as `custom:site_visit` and `ACCOUNT customFields.tier`: they are not deleted as long as it
 * does.
 */
export function namesOf({
  objectType,
  recordTypeField,
  definition,
}: Pick<Page, 'objectType' | 'recordTypeField' | 'definition'>): string[] {
  const read = readDefinition(definition).definition
  const named: Named[] = [
    [objectType, recordTypeField],
    ...(read ? componentsOf(read) : []).flatMap(({ component }) => namedBy(component, objectType)),
  ]
  const words = named.flatMap(([type, field]) => [
    ...(customObjectName(type) === null ? [] : [type]),
    ...(field !== null && customFieldKey(field) !== null ? [`${type} ${field}`] : []),
  ])
  return [...new Set(words)].toSorted()
}
