import { methods, type Method, type OperationObject, type PathItem } from './openapi.ts'

/** The operations of a path, in the order of `methods`. */
export const operationsIn = (item: PathItem): [Method, OperationObject][] =>
  methods.flatMap((method) => (item[method] ? [[method, item[method]] as [Method, OperationObject]] : []))
