import type { Caller } from '../context.ts'
import { holdsScope } from '../scopes.ts'
import type { RecordShape } from './definition.ts'
import { readScopeOf } from './requires-scope.ts'

const idOnly: ReadonlySet<string> = new Set(['id'])

/**
 * The fields of a record that a text of its caller may contain, such as a mail: none but the id if the credential has not the scope to read
 * the record type. So a key cannot read in a text of its own what it cannot read itself.
 */
export const fieldsInScope = (caller: Caller, shape: RecordShape, names: ReadonlySet<string>): ReadonlySet<string> =>
  holdsScope(caller, readScopeOf(shape.entity)) ? names : idOnly
