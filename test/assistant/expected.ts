import { expect } from 'vitest'
import type { LocalAnswer } from '../../subgraphs/assistant/question/public.ts'
import type { SeededOrganization } from './organization.fixture.ts'
import { tables, type Truth } from './truth.ts'

/** The figures of an answer: what is bold, without commas. */
export const figuresOf = (content: string): string[] =>
  Array.from(content.matchAll(/\*\*([^*]+)\*\*/g), ([, text]) => text!.replaceAll(',', ''))

const hasCurrency = ({ table, column }: Truth): boolean =>
  column !== 'annual_revenue' && column !== 'lead_score' && table !== tables.account

const listed = 10

/** Compares an answer with the truth by SQL. */
export async function expectTrue(seeded: SeededOrganization, truth: Truth, answer: LocalAnswer): Promise<void> {
  const figures = figuresOf(answer.content)
  const ids = answer.citations.map(({ entityId }) => entityId)
  const { column } = truth
  const currency = hasCurrency(truth) ? `currency || ' ' ||` : ''
  switch (truth.kind) {
    case 'COUNT':
    case 'LIST': {
      const rows = await seeded.rows<{ id: string }>(truth, 'select id')
      expect(figures).toEqual([String(rows.length)])
      if (truth.kind === 'COUNT' && ids.length === 0) return
      expect(ids).toHaveLength(Math.min(listed, rows.length))
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([...rows.map(({ id }) => id), ...ids]))
      return
    }
    case 'SUM':
    case 'AVERAGE': {
      const figure = truth.kind === 'SUM' ? `sum(${column})` : `round(avg(${column}), 2)`
      const rows = await seeded.rows<{ figure: string }>(
        truth,
        `select ${currency} trim_scale(${figure}) as figure`,
        'group by currency order by currency',
      )
      expect(figures).toEqual(rows.map(({ figure: one }) => one))
      return
    }
    case 'TOP': {
      const rows = await seeded.rows<{ figure: string }>(
        truth,
        `select figure from (select ${currency || "'' ||"} trim_scale(${column}::numeric) as figure, ${currency ? 'currency' : "''"} as c,
           row_number() over (partition by ${currency ? 'currency' : "''"} order by ${column} desc) as place`,
        `and ${column} is not null) ranked where place <= ${truth.limit} order by c, place`,
      )
      expect(figures).toEqual(rows.map(({ figure }) => figure))
      return
    }
    case 'GROUP': {
      const rows = await seeded.rows<{ value: string | null; count: string }>(
        truth,
        `select ${column} as value, count(*)::text as count`,
        `group by ${column}`,
      )
      const shown = Object.fromEntries(
        Array.from(answer.content.matchAll(/^- (.+): \*\*([\d,]+)\*\*$/gm), ([, name, count]) => [
          name!.toUpperCase().replaceAll(' ', '_'),
          count!.replaceAll(',', ''),
        ]),
      )
      expect(shown).toEqual(
        Object.fromEntries(rows.map(({ value, count }) => [(value ?? 'NONE').toUpperCase(), count])),
      )
      return
    }
    case 'RECORD': {
      const [row] = await seeded.rows<{ id: string; value: string | null }>(
        truth,
        column === 'owner'
          ? 'select id, (select u.name from identity.user_name u where u.id = owner_id) as value'
          : `select id, ${column}::text as value`,
      )
      expect(ids).toEqual([row!.id])
      if (row!.value !== null)
        expect(answer.content.toLowerCase()).toContain(row!.value.toLowerCase().replaceAll('_', ' '))
      return
    }
    case 'TIMELINE': {
      const rows = await seeded.rows<{ id: string }>(
        truth,
        'select id',
        `and occurred_at <= $now order by occurred_at desc, created_at desc, id desc limit 5`,
      )
      expect(new Set(ids)).toEqual(new Set(rows.map(({ id }) => id)))
      return
    }
    case 'SCORE': {
      const [row] = await seeded.rows<{ id: string }>(truth, 'select id')
      const read = {
        document: 'query ($id: ID!) { dealScore(dealId: $id) { score } }',
        variables: { id: row!.id },
        costMax: 100,
      }
      const { data } = await seeded.platform.services.graph.read(read, seeded.caller, {
        requestId: 'truth',
        timeoutMs: 5000,
      })
      expect([ids, figures]).toEqual([[row!.id], [String((data!['dealScore'] as { score: number }).score)]])
      return
    }
    case 'ATTAINMENT': {
      const read = {
        document: 'query ($id: ID!) { quotaAttainment(userId: $id) { data { quotaId attainmentPercent } } }',
        variables: { id: seeded.caller.userId },
        costMax: 1000,
      }
      const { data } = await seeded.platform.services.graph.read(read, seeded.caller, {
        requestId: 'truth',
        timeoutMs: 5000,
      })
      const quotas = (data!['quotaAttainment'] as { data: { quotaId: string; attainmentPercent: unknown }[] }).data
      expect([ids, figures]).toEqual([
        quotas.map(({ quotaId }) => quotaId),
        quotas.map(({ attainmentPercent }) => JSON.stringify(attainmentPercent)),
      ])
    }
  }
}
