import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { activity } from './activity.record.ts'

export const activityTypes = operationTypes(activity, 'ACTIVITIES')
