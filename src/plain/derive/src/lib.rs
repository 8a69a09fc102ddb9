//! `#[derive(Plain)]`: writes a type as JSON and reads it back, by the two traits of
//! `tabloop::plain`. The form is the one that serde gives by default:
//!
//! | type | JSON |
//! |---|---|
//! | `struct A { b: u64 }` | `{"b":1}` |
//! | `struct A(String)` | `"text"` |
//! | variant `B` | `"B"` |
//! | variant `B(u64)` | `{"B":1}` |
//! | variant `B { c: u64 }` | `{"B":{"c":1}}` |
//!
//! A field marked `#[plain(default)]` has its type's default where it is missing; with the
//! mark on a struct, all its fields have those of the struct's default. `#[plain(lowercase)]`
//! on an enum writes its variants' names small.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, Ident, parse_macro_input};

/// See the crate.
#[proc_macro_derive(Plain, attributes(plain))]
pub fn derive_plain(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream, Error> {
    let marks = Marks::of(&input.attrs)?;
    let (write, read) = match &input.data {
        Data::Struct(data) => of_struct(&data.fields, &marks)?,
        Data::Enum(data) => {
            let variants = data.variants.iter();
            let variants = variants.map(|variant| (&variant.ident, &variant.fields));
            of_enum(variants.collect(), &marks)?
        }
        Data::Union(_) => return Err(Error::new_spanned(input, "a union is not plain data")),
    };
    let name = &input.ident;
    Ok(quote! {
        impl crate::plain::ToJson for #name {
            fn write(&self, out: &mut crate::plain::Writer) {
                #write
            }
        }

        impl crate::plain::FromJson for #name {
            fn read(json: &mut serde_json::Value, fits: &mut bool) -> Self {
                #read
            }
        }
    })
}

/// What stands in `#[plain(…)]`.
#[derive(Default)]
struct Marks {
    default: bool,
    lowercase: bool,
}

impl Marks {
    fn of(attributes: &[Attribute]) -> Result<Self, Error> {
        let mut marks = Marks::default();
        for attribute in attributes {
            if attribute.path().is_ident("plain") {
                attribute.parse_nested_meta(|meta| {
                    if meta.path.is_ident("default") {
                        marks.default = true;
                    } else if meta.path.is_ident("lowercase") {
                        marks.lowercase = true;
                    } else {
                        return Err(meta.error("not a mark of plain data"));
                    }
                    Ok(())
                })?;
            }
        }
        Ok(marks)
    }
}

fn of_struct(fields: &Fields, marks: &Marks) -> Result<(TokenStream, TokenStream), Error> {
    match fields {
        Fields::Named(fields) => {
            let fields: Vec<&Field> = fields.named.iter().collect();
            let (names, binds) = bindings(&fields);
            let write = write_fields(&fields, &binds);
            let read = read_fields(&fields, &quote!(json), marks.default)?;
            let whole = marks
                .default
                .then(|| quote!(let whole = <Self as Default>::default();));
            Ok((
                quote!(let Self { #(#names: #binds),* } = self; #write),
                quote!(#whole Self { #read }),
            ))
        }
        Fields::Unnamed(inner) if inner.unnamed.len() == 1 => Ok((
            quote!(crate::plain::ToJson::write(&self.0, out)),
            quote!(Self(crate::plain::FromJson::read(json, fits))),
        )),
        other => Err(Error::new_spanned(other, "a struct of another form")),
    }
}

fn of_enum(
    variants: Vec<(&Ident, &Fields)>,
    marks: &Marks,
) -> Result<(TokenStream, TokenStream), Error> {
    let mut names = Vec::new();
    let mut writes = Vec::new();
    let mut reads = Vec::new();
    for (ident, fields) in variants {
        let name = match marks.lowercase {
            true => ident.to_string().to_lowercase(),
            false => ident.to_string(),
        };
        let (write, read) = match fields {
            Fields::Unit => (
                quote!(Self::#ident => out.text(#name)),
                quote!(Self::#ident),
            ),
            Fields::Unnamed(inner) if inner.unnamed.len() == 1 => (
                quote! {
                    Self::#ident(inner) => {
                        out.begin(#name);
                        crate::plain::ToJson::write(inner, out);
                        out.end();
                    }
                },
                quote!(Self::#ident(crate::plain::FromJson::read(body, fits))),
            ),
            Fields::Named(fields) => {
                let fields: Vec<&Field> = fields.named.iter().collect();
                let (idents, binds) = bindings(&fields);
                let write = write_fields(&fields, &binds);
                let read = read_fields(&fields, &quote!(body), false)?;
                (
                    quote! {
                        Self::#ident { #(#idents: #binds),* } => {
                            out.begin(#name);
                            #write
                            out.end();
                        }
                    },
                    quote!(Self::#ident { #read }),
                )
            }
            other => return Err(Error::new_spanned(other, "a variant of another form")),
        };
        names.push(name);
        writes.push(write);
        reads.push(read);
    }
    let Some((first, others)) = reads.split_first() else {
        return Err(Error::new(proc_macro2::Span::call_site(), "no variants"));
    };
    let numbers = 1..reads.len();
    Ok((
        quote!(match self { #(#writes),* }),
        quote! {
            let mut nothing = serde_json::Value::Null;
            let (number, body) = crate::plain::variant(json, &mut nothing, &[#(#names),*], fits);
            match number {
                #(#numbers => #others,)*
                _ => #first,
            }
        },
    ))
}

/// The fields' names, and names for what stands in them that nothing else has.
fn bindings(fields: &[&Field]) -> (Vec<Ident>, Vec<Ident>) {
    let names = fields.iter().filter_map(|field| field.ident.clone());
    let names: Vec<Ident> = names.collect();
    let binds = names.iter().map(|name| format_ident!("of_{name}"));
    (names.clone(), binds.collect())
}

fn write_fields(fields: &[&Field], binds: &[Ident]) -> TokenStream {
    let names = fields.iter().filter_map(|field| field.ident.as_ref());
    let names = names.map(Ident::to_string);
    quote! {
        out.open('{');
        #(
            if crate::plain::ToJson::is_kept(#binds) {
                out.name(#names);
                crate::plain::ToJson::write(#binds, out);
            }
        )*
        out.close('}');
    }
}

fn read_fields(fields: &[&Field], from: &TokenStream, whole: bool) -> Result<TokenStream, Error> {
    let mut reads = TokenStream::new();
    for field in fields {
        let ident = field.ident.as_ref();
        let name = ident.map(Ident::to_string).unwrap_or_default();
        let read = if whole {
            quote!(crate::plain::member_or(#from, #name, whole.#ident, fits))
        } else if Marks::of(&field.attrs)?.default {
            quote!(crate::plain::member_or(#from, #name, Default::default(), fits))
        } else {
            quote!(crate::plain::member(#from, #name, fits))
        };
        reads.extend(quote!(#ident: #read,));
    }
    Ok(reads)
}
