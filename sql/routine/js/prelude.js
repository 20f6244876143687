// What runs in a new runtime before a function's code. It takes away what would
// make a function depend on anything but its arguments, and puts a bound before
// each library function whose work, or whose result, is as large as some number
// says: such a function cannot be interrupted. The result sets it up and gives the
// tools that the engine uses.
(function (nesting) {
  'use strict';
  const maxLength = 1000000, maxText = 16777216, maxNesting = 200;
  const apply = Reflect.apply, construct = Reflect.construct, define = Object.defineProperty;
  const isArray = Array.isArray, parse = JSON.parse, stringify = JSON.stringify;
  const keys = Object.keys, from = Array.from, freeze = Object.freeze;
  const entriesOf = Map.prototype.entries, valuesOf = Set.prototype.values;
  const functions = Function.prototype, NativeArray = Array, NativeMap = Map, NativeSet = Set, TooLarge = RangeError, Wrong = TypeError;

  function bound(n, most, what) {
    if (n > most) throw new TooLarge(what + ' of more than ' + most + ' elements in a function');
  }
  function put(object, name, value) {
    define(object, name, { value, writable: false, enumerable: false, configurable: false });
  }

  // No clock, no chance, no code from text, no memory outside of the heap.
  for (const name of ['Date', 'eval', 'Function', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'Int8Array',
    'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array',
    'Float64Array', 'BigInt64Array', 'BigUint64Array', 'WeakRef', 'FinalizationRegistry']) {
    delete globalThis[name];
  }
  delete Math.random;
  delete String.raw;
  for (const f of [function () {}, function* () {}, async function () {}, async () => {}]) {
    define(Object.getPrototypeOf(f), 'constructor', { value: undefined, writable: false, configurable: false });
  }

  // Arrays may be sparse: their length says nothing of what they hold.
  for (const name of ['concat', 'copyWithin', 'every', 'fill', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex',
    'flat', 'flatMap', 'forEach', 'includes', 'indexOf', 'join', 'lastIndexOf', 'map', 'reduce', 'reduceRight', 'reverse',
    'shift', 'slice', 'some', 'sort', 'splice', 'toReversed', 'toSorted', 'toSpliced', 'unshift', 'with', 'keys', 'entries',
    'values', 'toLocaleString']) {
    const native = NativeArray.prototype[name];
    if (native === undefined) continue;
    const guarded = function (...args) {
      bound(this.length, maxLength, 'an array');
      if (name === 'concat') for (let i = 0; i < args.length; i++) if (isArray(args[i])) bound(args[i].length, maxLength, 'an array');
      return apply(native, this, args);
    };
    put(NativeArray.prototype, name, guarded);
    if (name === 'values') put(NativeArray.prototype, Symbol.iterator, guarded);
  }
  put(NativeArray, 'from', function (items, ...rest) {
    if (items !== null && items !== undefined && typeof items !== 'string') bound(items.length, maxLength, 'an array');
    return apply(from, NativeArray, [items, ...rest]);
  });
  for (const [object, at] of [[functions, 1], [Reflect, 2]]) {
    const native = object.apply;
    put(object, 'apply', function (...args) {
      if (args[at]) bound(args[at].length, maxLength, 'an array');
      return apply(native, this, args);
    });
  }
  put(Reflect, 'construct', function (...args) {
    if (args[1]) bound(args[1].length, maxLength, 'an array');
    return apply(construct, this, args);
  });

  // Text.
  const repeat = String.prototype.repeat;
  put(String.prototype, 'repeat', function (n) {
    bound(String(this).length * n, maxText, 'a text');
    return apply(repeat, this, [n]);
  });
  for (const name of ['padStart', 'padEnd']) {
    const native = String.prototype[name];
    put(String.prototype, name, function (n, ...rest) {
      bound(n, maxText, 'a text');
      return apply(native, this, [n, ...rest]);
    });
  }
  for (const name of ['toLocaleString', 'localeCompare']) delete Number.prototype[name];

  // JSON: its depth is the depth of the engine's own calls.
  function check(v, depth) {
    if (depth > maxNesting) throw new TooLarge('a value nested deeper than ' + maxNesting);
    if (typeof v !== 'object' || v === null) return;
    if (isArray(v)) {
      bound(v.length, maxLength, 'an array');
      for (let i = 0; i < v.length; i++) check(v[i], depth + 1);
      return;
    }
    const names = keys(v);
    for (let i = 0; i < names.length; i++) check(v[names[i]], depth + 1);
  }
  put(JSON, 'stringify', function (v, ...rest) {
    check(v, 0);
    return apply(stringify, JSON, [v, ...rest]);
  });
  put(JSON, 'parse', function (text, ...rest) {
    text = String(text);
    if (nesting(text) > maxNesting) throw new TooLarge('a value nested deeper than ' + maxNesting);
    return apply(parse, JSON, [text, ...rest]);
  });

  return {
    parse: JSON.parse,
    stringify: JSON.stringify,
    entries(collection) {
      const all = [];
      if (collection instanceof NativeMap) {
        for (const e of apply(entriesOf, collection, [])) all[all.length] = e[0], all[all.length] = e[1];
      } else {
        for (const e of apply(valuesOf, collection, [])) all[all.length] = e;
      }
      return all;
    },
    mapOf(all) {
      const map = new NativeMap();
      for (let i = 0; i < all.length; i += 2) map.set(all[i], all[i + 1]);
      return map;
    },
    setOf(all) {
      const set = new NativeSet();
      for (let i = 0; i < all.length; i++) set.add(all[i]);
      return set;
    },
    seal() { freeze(globalThis); },
  };
})
