/** A field by which records are grouped, as the graph takes it. */
interface FieldAndUnit {
  readonly field: string
  readonly by?: string
}

/** Reads `closeDate:fiscalQuarter` as `{ field: 'closeDate', by: 'FISCAL_QUARTER' }`, and a field without a unit as it is. */
export function fieldAndUnit(text: string): FieldAndUnit {
  const [field = '', unit] = text.split(':')
  if (unit === undefined) return { field }
  return { field, by: unit.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase() }
}
