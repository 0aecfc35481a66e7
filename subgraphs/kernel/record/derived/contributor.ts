import type { RecordShape } from '../definition.ts'
import type { OrganizationDefinitions } from '../organization-definitions.ts'
import type { DerivedRows } from './derived-rows.ts'

/** What one feature derives from the records of a type; null where the definitions of the organization ask for nothing. */
export type Contributor = (shape: RecordShape, definitions: OrganizationDefinitions) => DerivedRows | null
