import { sqlLiteral } from '../custom-field-column.ts'
import type { CompiledRollup } from './rollup-definition.ts'
import { rollupDeltaTable } from './rollup-tables.ts'

const contributionSql = ({ definition, parentSql, valueSql, conditionSql }: CompiledRollup): string =>
  `select t.organization_id, ${sqlLiteral(definition.id)}::uuid as rollup_id, ${parentSql('t')} as parent_id, t.rollup_sign as n,
     t.rollup_sign * ${valueSql('t')} as total
   from rollup_versions t where ${conditionSql('t')}`

/**
 * The difference that a change of child records makes for each of their parents: what the version contributes that is written, less what that
 * contributed which the statement replaces. The SQL is that which reads the records themselves, so both always agree.
 */
export const deltaStatements = (rollups: readonly CompiledRollup[]): Readonly<Record<string, string>> =>
  rollups.length === 0
    ? {}
    : {
        rollup_deltas: `
          insert into ${rollupDeltaTable} (organization_id, rollup_id, parent_id, n, total)
          select organization_id, rollup_id, parent_id, sum(n), sum(total)
          from (${rollups.map(contributionSql).join(' union all ')}) differences
          group by organization_id, rollup_id, parent_id having sum(n) <> 0 or sum(total) <> 0`,
      }
