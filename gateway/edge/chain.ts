/** Calls `next` synchronously unless `value` is a promise. The cached path needs no promises; they would be half of its cost. */
export function chain<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}
