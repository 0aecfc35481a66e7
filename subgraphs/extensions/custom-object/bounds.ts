/** Live custom objects of an organization. */
export const objectsMax = 200
/** Records whose names are written again when an object gets another name field. */
export const renamedRecordsMax = 1_000
/** Fields with which an object is created, in one transaction; more of them are added one by one. */
export const createdFieldsMax = 100
/** Fields that are or were the name field of one object: each of them decides who reads names. */
export const nameFieldsMax = 100
