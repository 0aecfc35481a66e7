import type { FlowElementType } from '../flow.enumerations.ts'
import { action } from './action.ts'
import { assignment } from './assignment.ts'
import { createRecord } from './create-record.ts'
import { decision } from './decision.ts'
import { deleteRecord } from './delete-record.ts'
import type { ElementType } from './element-type.ts'
import { getRecords } from './get-records.ts'
import { loop } from './loop.ts'
import { screen } from './screen.ts'
import { subflow } from './subflow.ts'
import { updateRecord } from './update-record.ts'
import { wait } from './wait.ts'

const elementTypes = {
  SCREEN: screen,
  ASSIGNMENT: assignment,
  DECISION: decision,
  LOOP: loop,
  GET_RECORDS: getRecords,
  CREATE_RECORD: createRecord,
  UPDATE_RECORD: updateRecord,
  DELETE_RECORD: deleteRecord,
  ACTION: action,
  SUBFLOW: subflow,
  WAIT: wait,
} as const satisfies Record<FlowElementType, ElementType>

export const elementTypeOf = (type: FlowElementType): ElementType => elementTypes[type]
