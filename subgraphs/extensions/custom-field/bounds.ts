import type { CustomFieldType } from './custom-field.enumerations.ts'

/** The longest name of a record type: `custom:` and that of an object. */
export const entityMax = 70
/** Live fields of one record type. */
export const fieldsMax = 500
/** Live fields of all record types of an organization: they are in the memory of every process, about 2 KB each. */
export const allFieldsMax = 5_000
/** Fields of one record type that keep their history. */
export const trackedMax = 20
export const picklistValuesMax = 1_000
/** Live fields of one record type that are indexed or unique. */
export const indexedFieldsMax = 25
export const precisionMax = 10
/** Replaced values of one field that writes may still have. */
export const aliasesMax = 100
/** Live lookups of one record type. */
export const lookupsMax = 40
/** Fields by which the records of one object are details of others. */
export const mastersMax = 2
/** Details one below the other: those of a record, their own, and the details of these. */
export const detailLevelsMax = 3
/** Live formulas of one record type. */
export const formulasMax = 100
/** Live rollups of one record type. */
export const rollupsMax = 40
/** Parts of all active formulas of one record type, each with those of the formulas that it reads: reads compute them for every record. */
export const formulaNodesMax = 5_000
/** Places in all active formulas of one record type, and in those that they read, that read another record: each is a look-up for every record that is read. */
export const lookUpsMax = 200
/** Characters of all picklist values and dependencies of one record type, as JSON: they are in the memory of every process. */
export const valuesCharactersMax = 500_000
/** The same of all record types of an organization. */
export const allCharactersMax = 2_000_000

/** The most characters that a text of the type can have. */
export const textMax: Readonly<Partial<Record<CustomFieldType, number>>> = {
  TEXT: 255,
  TEXTAREA: 32_000,
  EMAIL: 254,
  PHONE: 50,
  URL: 1_000,
}
