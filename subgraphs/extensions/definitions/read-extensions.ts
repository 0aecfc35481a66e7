import type { ExtendedShape, ExtensionReader, Extensions, RecordRules } from '../../kernel/extension/extension.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { ExtendedType } from '../extended-type.ts'
import { CompiledRules, type StoredRule } from '../validation-rule/compiled-rules.ts'

type RuleOfType = StoredRule & { readonly entityType: ExtendedType }

/** Measured: the functions and parsed parts of one compiled rule of three conditions. */
const ruleBytes = 4_000

/** One version of what an organization has defined. Each record type is compiled when it is first written. */
class OrganizationExtensions implements Extensions {
  readonly bytes: number
  readonly #rules = new Map<string, readonly StoredRule[]>()
  readonly #compiled = new WeakMap<ExtendedShape, RecordRules>()

  constructor(
    readonly version: number,
    rules: readonly RuleOfType[],
  ) {
    for (const [type, each] of Map.groupBy(rules, ({ entityType }) => entityType))
      this.#rules.set(type.toLowerCase(), each)
    this.bytes = 1_000 + rules.length * ruleBytes + 2 * JSON.stringify(rules).length
  }

  rulesFor(shape: ExtendedShape): RecordRules | null {
    const rules = this.#rules.get(shape.object)
    if (!rules) return null
    let compiled = this.#compiled.get(shape)
    if (!compiled) this.#compiled.set(shape, (compiled = new CompiledRules(shape as RecordShape, rules)))
    return compiled
  }
}

interface Row {
  readonly version: number
  readonly rules: readonly RuleOfType[]
}

/** The version and the active rules, in the order of their creation. */
export const readOrganizationExtensions: ExtensionReader = async (sql, organizationId) => {
  const [row] = await sql.query<Row>(
    `select v.version::float8 as version, coalesce((
       select jsonb_agg(jsonb_build_object('entityType', r.entity_type, 'name', r.name, 'appliesTo', r.applies_to,
         'conditions', r.conditions, 'logic', r.logic, 'errorMessage', r.error_message, 'errorField', r.error_field)
         order by r.created_at, r.id)
       from extensions.validation_rule r
       where r.organization_id = v.organization_id and r.is_active and r.deleted_at is null), '[]') as rules
     from kernel.definition_version v where v.organization_id = $1`,
    [organizationId],
  )
  return row ? new OrganizationExtensions(row.version, row.rules) : null
}
